import { PHASES } from '../../operations/filter.ts';
import { failureLines, type LinePage } from '../data/failures.ts';
import { type FoundRecords, recordsByKey, recordsByPlace, recordsByTime, scopesOn } from '../data/records.ts';
import { choiceIn, type Context, page, queryOf, sinceIn, spans, textIn } from '../page.ts';
import { anyOf, choiceField, filterForm, nextLink, textField } from '../parts/forms.tsx';
import { lineTable } from '../parts/line-table.tsx';
import { link, messageLink, phaseOf, table } from '../parts/values.tsx';
import { count, errorText, moment } from '../parts/words.ts';

/** How records are looked for. The address says which, so that the next part is looked for in the same way. */
type By = 'key' | 'failures' | 'time' | 'place';

type Choice = ReturnType<typeof choiceOf>;

interface Way {
  readonly find: (context: Context, choice: Choice, after?: string) => Promise<FoundRecords | LinePage>;
  readonly caption: string;
  /** Where to look when something is missing here. */
  readonly other?: { readonly says: string; readonly by: By; readonly name: string };
}

const WAYS: Readonly<Record<By, Way>> = {
  key: { find: recordsByKey, caption: 'Records by scope and key' },
  failures: {
    find: (context, choice, after) => failureLines(context, { ...choice, ending: 'failed' }, after),
    caption: 'Failed records',
    other: {
      says: 'Failures are recorded on a best-effort basis.',
      by: 'time',
      name: 'Search the records too',
    },
  },
  time: {
    find: recordsByTime,
    caption: 'Records by their first claim',
    other: {
      says: 'Is something missing, or does this take too long?',
      by: 'place',
      name: 'Read the table part by part, in no order',
    },
  },
  place: { find: recordsByPlace, caption: 'Records in the order of the table' },
};

const ORDERS = Object.entries({ '': 'newest first', oldest: 'oldest first' });

export const messages = page({
  read: async (context) => {
    const choice = choiceOf(context);
    const by = wayOf(context, choice);
    const scopes = await scopesOn(context);
    return { by, choice, scopes, found: await WAYS[by].find(context, choice, textIn(context, 'after')) };
  },
  look: ({ by, choice, scopes, found }, { now }) => {
    const { other } = WAYS[by];
    const nextName = by === 'place' ? 'Read the next part' : 'Next';
    const query = queryOf(choice);
    return [
      filterForm('messages', [
        textField('key', 'Key, or its beginning', choice.key, 'order-7'),
        choiceField('scope', 'Scope', choice.scope, anyOf(scopes)),
        choiceField('phase', 'What it is now', choice.phase, anyOf(PHASES)),
        textField('error', 'Name or code of its error', choice.error, 'TypeError'),
        choiceField(
          'since',
          `${by === 'failures' ? 'Failed' : 'First claimed'} in the last`,
          choice.since,
          spans(choice.since),
        ),
        choiceField('order', 'Order', choice.order, ORDERS),
      ]),
      'lines' in found
        ? lineTable(found.lines, now, 'No such failure was recorded in this time.')
        : recordsPart(found, by, now),
      nextLink('messages', { ...query, by: by === 'key' ? undefined : by }, found.next, nextName),
      other && (
        <p class="quiet">
          {other.says} {link(other.name, 'messages', { ...query, by: other.by })}
        </p>
      ),
    ];
  },
});

function choiceOf(context: Context) {
  return {
    scope: textIn(context, 'scope'),
    key: textIn(context, 'key'),
    phase: choiceIn(context, 'phase', PHASES),
    order: choiceIn(context, 'order', ['oldest']),
    error: textIn(context, 'error'),
    ...sinceIn(context),
  };
}

/** By the key where one is given. Failed ones by the table of failures, which has an order by time. */
function wayOf(context: Context, { key, phase, order }: Choice): By {
  if (key !== undefined) return 'key';
  const by = choiceIn(context, 'by', ['failures', 'time', 'place']);
  return by ?? (phase === 'failed' && order === undefined ? 'failures' : 'time');
}

function recordsPart({ records, lookedUntil, pages }: FoundRecords, by: By, now: Date) {
  return [
    lookedUntil !== undefined && (
      <p class="note">This took too long: it searched back to {moment(lookedUntil)}, and no further.</p>
    ),
    pages !== undefined && (
      <p class="note">
        This is part of the table: pages {count(pages.from)} to {count(pages.to)} of {count(pages.of)}.
      </p>
    ),
    table({
      caption: WAYS[by].caption,
      ...{ now, rows: records },
      empty: by === 'key' ? 'No key begins with this.' : 'No such record was found here.',
      columns: {
        key: messageLink,
        scope: ({ scope }) => scope,
        now: ({ phase }) => phaseOf(phase),
        'first claimed': ({ createdAt }) => createdAt,
        'last attempt': ({ beganAt }) => beganAt,
        attempts: ({ attempts }) => attempts,
        error: ({ error }) => errorText(error),
      },
    }),
  ];
}
