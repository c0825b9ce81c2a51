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

const STATES = ['pending', 'succeeded', 'failed'] as const;

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
          choiceField('state', 'State', choice.state, anyOf(STATES)),
          textField('error', 'Name of its error', choice.error, 'TypeError'),
          choiceField('since', 'First claimed in the last', choice.since, spans(choice.since)),
        ])}
        {'lines' in found ? lineTable(found.lines, now) : recordsPart(found, by, now)}
        {nextLink(next, by === 'place' ? 'Look at the next pages' : 'Next')}
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
    state: choiceIn(parameters, 'state', STATES),
    error: textIn(parameters, 'error'),
    ...sinceIn(context, '24h'),
  };
}

function queryOf({ scope, key, state, error, since }: Choice) {
  return { scope, key, state, error, since };
}

/** By the key where one is given. Failed ones by the table of failures, which has an order by time. */
function wayOf({ parameters }: Context, { key, state }: Choice): By {
  if (key !== undefined) return 'key';
  const by = choiceIn(parameters, 'by', ['failures', 'time', 'place']);
  return by ?? (state === 'failed' ? 'failures' : 'time');
}

function find(context: Context, by: By, choice: Choice): Promise<FoundRecords | LinePage> {
  const after = textIn(context.parameters, 'after');
  const { scope, state, error, sinceMs } = choice;
  switch (by) {
    case 'key':
      return recordsByKey(context, choice.scope, choice.key ?? '', after);
    case 'failures':
      return failureLines(context, { ...choice, ending: 'failed' }, after);
    case 'time':
      return recordsByTime(context, { scope, state, error, sinceMs }, after);
    case 'place':
      return recordsByPlace(context, choice, after);
  }
}

const CAPTIONS: Readonly<Record<By, string>> = {
  key: 'Records by scope and key',
  failures: 'Failed records',
  time: 'Records, the newest first',
  place: 'Records as they stand in the table, in no order',
};

function recordsPart({ records, lookedUntil, pages }: FoundRecords, by: By, now: Date) {
  return (
    <>
      {lookedUntil !== undefined && (
        <p class="note">This took too long: it looked back until {moment(lookedUntil)}, and no further.</p>
      )}
      {pages !== undefined && (
        <p class="note">
          Looked at pages {count(pages.from)} to {count(pages.to)} of {count(pages.of)} of the table.
        </p>
      )}
      {table({
        caption: CAPTIONS[by],
        ...{
          now,
          rows: records,
          empty: by === 'key' ? 'No key begins like this.' : 'No such record was found here.',
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
    says: 'Failures are written down best effort.',
    by: 'time',
    name: 'Look through the records too',
  },
  time: {
    says: 'In a table whose old records are purged, new ones are everywhere.',
    by: 'place',
    name: 'Look at it page by page, in no order',
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
