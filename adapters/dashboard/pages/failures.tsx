import type { RecordCount } from '../../operations/count-records.ts';
import { readStats } from '../../operations/read-stats.ts';
import { retryCommand } from '../commands.ts';
import { countFailed, failureGroups, failureLines, type Group, type LineFilter } from '../data/failures.ts';
import { ago, choiceIn, type Context, page, queryOf, sinceIn, spans, textIn } from '../page.ts';
import { anyOf, choiceField, filterForm, nextLink, textField } from '../parts/forms.tsx';
import { lineTable } from '../parts/line-table.tsx';
import { given, link, messageLink, table } from '../parts/values.tsx';
import { counted, errorText, withCode } from '../parts/words.ts';

const ENDINGS = ['failed', 'released', 'interrupted', 'died', 'lease-lost', 'unrecorded'] as const;

export const failures = page({
  read: async (context) => {
    const filter = {
      ...sinceIn(context),
      scope: textIn(context, 'scope'),
      ending: choiceIn(context, 'ending', ENDINGS),
      error: textIn(context, 'error'),
    };
    const asksCount = textIn(context, 'count') === 'records';
    return {
      filter,
      groups: await failureGroups(context, filter),
      notWritten: await notWritten(context, filter),
      counts: asksCount
        ? await countFailed(context, { ...filter, since: ago(context, filter.sinceMs) })
        : undefined,
      page: await failureLines(context, filter, textIn(context, 'after')),
    };
  },
  look: ({ filter, groups, notWritten: missing, counts, page: { lines, next } }, context) => [
    filterForm('failures', [
      choiceField('since', 'In the last', filter.since, spans(filter.since)),
      textField('scope', 'Scope', filter.scope, 'all'),
      choiceField('ending', 'How they ended', filter.ending, anyOf(ENDINGS)),
      textField('error', 'Name or code of the error', filter.error, 'all'),
    ]),
    groupTable(groups, filter.since, context),
    <p class={missing === 0 ? 'quiet' : 'note'}>
      {missing === 0
        ? 'A process writes at most 100 failures a second, so there may have been more. '
        : `At least ${counted(missing, 'failure was', 'failures were')} not recorded in this time. `}
      {link('Count the failed records', 'failures', { ...queryOf(filter), count: 'records' })}
    </p>,
    counts !== undefined && countTable(counts, filter.since, context),
    <h2>Each of them</h2>,
    lineTable(lines, context.now, 'No attempt ended badly in this time.'),
    nextLink('failures', queryOf(filter), next),
  ],
});

function groupTable(rows: readonly Group[], since: string, context: Context) {
  return table({
    caption: 'Attempts that ended badly, by scope and error, the most frequent first',
    ...{ now: context.now, rows, empty: 'No attempt ended badly in this time.' },
    columns: {
      'at least': ({ atLeast }) => atLeast,
      'scope and error': ({ scope, ending, error, code }) => {
        const text = given(`${scope}: ${withCode(error ?? 'no error', code)}`);
        return link(text, 'failures', { since, scope, ending, error: code ?? error });
      },
      how: ({ ending }) => ending,
      'failed now': ({ ending, failedNow }) => (ending === 'failed' ? failedNow : ''),
      'what to do': (group) => group.failedNow > 0 && retryLink(context, group, since),
      'the newest': ({ scope, example: { key } }) => messageLink({ scope, key }),
      'its error': ({ example }) => errorText(example.error),
      first: ({ firstAt }) => firstAt,
      last: ({ lastAt }) => lastAt,
    },
  });
}

function countTable(rows: readonly RecordCount[], since: string, context: Context) {
  return table({
    caption: 'Records that are failed now and were first claimed in this time',
    ...{ now: context.now, rows, empty: 'No record that was first claimed in this time is failed now.' },
    columns: {
      records: ({ records }) => records,
      scope: ({ scope }) => scope,
      error: ({ error = 'no error', code }) => withCode(error, code),
      'what to do': (each) => retryLink(context, each, since),
      oldest: ({ oldestAt }) => oldestAt,
      newest: ({ newestAt }) => newestAt,
    },
  });
}

type OfError = Pick<Group, 'scope' | 'error' | 'code'>;

/** To the page that retries them, or the command for a visitor who may not. */
function retryLink({ mayAct }: Context, { scope, error: name, code }: OfError, since: string) {
  const error = code ?? name;
  if (error === undefined || error === '') return undefined;
  if (!mayAct) return <code>{given(retryCommand(scope, String(error)))}</code>;
  return link('Retry them all', 'retry', { scope, error, since });
}

/** Failures that no process could write, where events are counted. */
async function notWritten({ tables }: Context, { scope, sinceMs }: LineFilter): Promise<number> {
  const stats = await readStats({ ...tables, scope, sinceMs });
  const dropped = stats.filter(({ event }) => event === 'failures-dropped');
  return dropped.reduce((sum, { count }) => sum + count, 0);
}
