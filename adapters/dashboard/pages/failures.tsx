import { countRecords, type RecordCount } from '../../operations/count-records.ts';
import { readStats } from '../../operations/read-stats.ts';
import { retryCommand } from '../commands.ts';
import { type Context, patient } from '../context.ts';
import { failureGroups, failureLines, type Group, type LineFilter } from '../data/failures.ts';
import { linkTo } from '../links.ts';
import { choiceIn, page, sinceIn, spans, textIn } from '../page.ts';
import { anyOf, choiceField, filterForm, nextLink, textField } from '../parts/forms.tsx';
import { lineTable } from '../parts/line-table.tsx';
import { given, messageLink, table } from '../parts/values.tsx';
import { counted, errorText } from '../parts/words.ts';

type Filter = LineFilter & { readonly since: string };

const ENDINGS = ['failed', 'released', 'interrupted', 'died', 'lease-lost', 'unrecorded'] as const;

export const failures = page({
  title: () => 'Failures',
  read: async (context) => {
    const { parameters } = context;
    const filter = {
      ...sinceIn(context, '24h'),
      scope: textIn(parameters, 'scope'),
      ending: choiceIn(parameters, 'ending', ENDINGS),
      error: textIn(parameters, 'error'),
    };
    return {
      filter,
      groups: await failureGroups(context, filter),
      notWritten: await notWritten(context, filter),
      counts: parameters.get('count') === 'records' ? await failedRecords(context, filter) : undefined,
      page: await failureLines(context, filter, textIn(parameters, 'after')),
    };
  },
  look: ({ filter, groups, notWritten: missing, counts, page: { lines, next } }, context) => (
    <>
      {filterForm('failures', [
        choiceField('since', 'In the last', filter.since, spans(filter.since)),
        textField('scope', 'Scope', filter.scope, 'all'),
        choiceField('ending', 'How they ended', filter.ending, anyOf(ENDINGS)),
        textField('error', 'Name or code of the error', filter.error, 'all'),
      ])}
      {groupTable(groups, filter, context)}
      <p class={missing === 0 ? 'quiet' : 'note'}>
        {missing === 0
          ? 'A process writes at most 100 failures a second, so there may have been more. '
          : `At least ${counted(missing, 'failure was', 'failures were')} not recorded in this time. `}
        <a href={linkTo('failures', { ...queryOf(filter), count: 'records' })}>Count the failed records</a>
      </p>
      {counts !== undefined && countTable(counts, filter, context)}
      <h2>Each of them</h2>
      {lineTable(lines, context.now, 'No attempt ended badly in this time.')}
      {nextLink(next && linkTo('failures', { ...queryOf(filter), after: next }))}
    </>
  ),
});

function queryOf({ since, scope, ending, error }: Filter) {
  return { since, scope, ending, error };
}

function groupTable(rows: readonly Group[], { since }: Filter, context: Context) {
  return table({
    caption: 'Attempts that ended badly, by scope and error, the most frequent first',
    ...{ now: context.now, rows, empty: 'No attempt ended badly in this time.' },
    columns: {
      'at least': ({ atLeast }) => atLeast,
      'scope and error': ({ scope, ending, error, code }) => (
        <a href={linkTo('failures', { since, scope, ending, error: code ?? error })}>
          {given(`${scope}: ${error ?? 'no error'}${code === undefined ? '' : ` (${code})`}`)}
        </a>
      ),
      how: ({ ending }) => ending,
      'failed now': ({ ending, failedNow }) => (ending === 'failed' ? failedNow : ''),
      'what to do': ({ scope, failedNow, error, code }) =>
        failedNow > 0 && retryLink(context, scope, code ?? error, since),
      'the newest': ({ scope, example: { key } }) => messageLink({ scope, key }),
      'its error': ({ example }) => errorText(example.error),
      first: ({ firstAt }) => firstAt,
      last: ({ lastAt }) => lastAt,
    },
  });
}

function countTable(rows: readonly RecordCount[], { since }: Filter, context: Context) {
  return table({
    caption: 'Records that are failed now and were first claimed in this time',
    ...{ now: context.now, rows, empty: 'No record that was first claimed in this time is failed now.' },
    columns: {
      records: ({ records }) => records,
      scope: ({ scope }) => scope,
      error: ({ error, code }) => `${error ?? 'no error'}${code === undefined ? '' : ` (${code})`}`,
      'what to do': ({ scope, error, code }) => retryLink(context, scope, code ?? error, since),
      oldest: ({ oldestAt }) => oldestAt,
      newest: ({ newestAt }) => newestAt,
    },
  });
}

/** To the page that retries them, or the command for a visitor who may not. */
function retryLink({ mayAct }: Context, scope: string, error: string | number | undefined, since: string) {
  if (error === undefined || error === '') return undefined;
  if (!mayAct) return <code>{given(retryCommand(scope, String(error)))}</code>;
  return <a href={linkTo('retry', { scope, error, since })}>Retry them all</a>;
}

/** Failures that no process could write, where events are counted. */
async function notWritten({ tables }: Context, { scope, sinceMs }: Filter): Promise<number> {
  const stats = await readStats({ ...tables, scope, sinceMs });
  const dropped = stats.filter(({ event }) => event === 'failures-dropped');
  return dropped.reduce((sum, { count }) => sum + count, 0);
}

/** All of them, also those without a line: it may read most of the table. */
function failedRecords({ tables }: Context, { scope, error, sinceMs }: Filter) {
  return countRecords({ ...patient(tables), scope, error, sinceMs, state: 'failed', phase: 'failed' });
}
