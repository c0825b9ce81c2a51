import type { Context } from '../context.ts';
import { failureLines, type LinePage } from '../data/failures.ts';
import { type FoundRecords, recordsByKey, recordsByPlace, recordsByTime, scopesOn } from '../data/records.ts';
import { linkTo } from '../links.ts';
import { choiceIn, page, sinceIn, spans, textIn } from '../page.ts';
import { anyOf, choiceField, filterForm, nextLink, textField } from '../parts/forms.tsx';
import { lineTable } from '../parts/line-table.tsx';
import { messageLink, phaseOf, table } from '../parts/values.tsx';
import { count, errorText, moment } from '../parts/words.ts';

/** How records are looked for. The address says which, so that the next part is looked for in the same way. */
type By = 'key' | 'failures' | 'time' | 'place';

type Choice = ReturnType<typeof choiceOf>;

const PHASES = ['running', 'lapsed', 'backing-off', 'waiting', 'succeeded', 'failed', 'expired'] as const;

export const messages = page({
  title: () => 'Messages',
  read: async (context) => {
    const choice = choiceOf(context);
    const by = wayOf(context, choice);
    return { by, choice, scopes: await scopesOn(context), found: await find(context, by, choice) };
  },
  look: (data, { now }) => {
    const { by, choice, scopes, found } = data;
    const next =
      found.next &&
      linkTo('messages', { ...queryOf(choice), by: by === 'key' ? undefined : by, after: found.next });
    return (
      <>
        {filterForm('messages', [
          textField('key', 'Key, or its beginning', choice.key, 'order-7'),
          choiceField('scope', 'Scope', choice.scope, anyOf(scopes)),
          choiceField('phase', 'What it is now', choice.phase, anyOf(PHASES)),
          textField('error', 'Name or code of its error', choice.error, 'TypeError'),
          choiceField('since', 'First claimed in the last', choice.since, spans(choice.since)),
          choiceField(
            'order',
            'Order',
            choice.order,
            new Map([
              ['', 'newest first'],
              ['oldest', 'oldest first'],
            ]),
          ),
        ])}
        {'lines' in found
          ? lineTable(found.lines, now, 'No such failure was recorded in this time.')
          : recordsPart(found, by, now)}
        {nextLink(next, by === 'place' ? 'Read the next part' : 'Next')}
        {otherWay(by, choice)}
      </>
    );
  },
});

function choiceOf(context: Context) {
  const { parameters } = context;
  return {
    scope: textIn(parameters, 'scope'),
    key: textIn(parameters, 'key'),
    phase: choiceIn(parameters, 'phase', PHASES),
    order: choiceIn(parameters, 'order', ['oldest']),
    error: textIn(parameters, 'error'),
    ...sinceIn(context, '24h'),
  };
}

function queryOf({ scope, key, phase, order, error, since }: Choice) {
  return { scope, key, phase, order, error, since };
}

/** By the key where one is given. Failed ones by the table of failures, which has an order by time. */
function wayOf({ parameters }: Context, { key, phase, order }: Choice): By {
  if (key !== undefined) return 'key';
  const by = choiceIn(parameters, 'by', ['failures', 'time', 'place']);
  return by ?? (phase === 'failed' && order === undefined ? 'failures' : 'time');
}

function find(context: Context, by: By, choice: Choice): Promise<FoundRecords | LinePage> {
  const after = textIn(context.parameters, 'after');
  const { scope, phase, error, sinceMs, order } = choice;
  switch (by) {
    case 'key':
      return recordsByKey(context, choice.scope, choice.key ?? '', after);
    case 'failures':
      return failureLines(context, { scope, phase, error, sinceMs, ending: 'failed' }, after);
    case 'time':
      return recordsByTime(context, { scope, phase, error, sinceMs, order }, after);
    case 'place':
      return recordsByPlace(context, choice, after);
  }
}

const CAPTIONS: Readonly<Record<By, string>> = {
  key: 'Records by scope and key',
  failures: 'Failed records',
  time: 'Records by their first claim',
  place: 'Records in the order of the table',
};

function recordsPart({ records, lookedUntil, pages }: FoundRecords, by: By, now: Date) {
  return (
    <>
      {lookedUntil !== undefined && (
        <p class="note">This took too long: it searched back to {moment(lookedUntil)}, and no further.</p>
      )}
      {pages !== undefined && (
        <p class="note">
          This is part of the table: pages {count(pages.from)} to {count(pages.to)} of {count(pages.of)}.
        </p>
      )}
      {table({
        caption: CAPTIONS[by],
        ...{
          now,
          rows: records,
          empty: by === 'key' ? 'No key begins with this.' : 'No such record was found here.',
        },
        columns: {
          key: messageLink,
          scope: ({ scope }) => scope,
          now: ({ phase }) => phaseOf(phase),
          'first claimed': ({ createdAt }) => createdAt,
          'last attempt': ({ beganAt }) => beganAt,
          attempts: ({ attempts }) => attempts,
          error: ({ error }) => errorText(error),
        },
      })}
    </>
  );
}

/** Where to look when something is missing here. */
const OTHER_WAYS: Readonly<
  Partial<Record<By, { readonly says: string; readonly by: By; readonly name: string }>>
> = {
  failures: {
    says: 'Failures are recorded on a best-effort basis.',
    by: 'time',
    name: 'Search the records too',
  },
  time: {
    says: 'Is something missing, or does this take too long?',
    by: 'place',
    name: 'Read the table part by part, in no order',
  },
};

function otherWay(by: By, choice: Choice) {
  const way = OTHER_WAYS[by];
  return (
    way && (
      <p class="quiet">
        {way.says} <a href={linkTo('messages', { ...queryOf(choice), by: way.by })}>{way.name}</a>
      </p>
    )
  );
}
