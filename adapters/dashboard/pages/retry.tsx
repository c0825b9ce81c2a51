import type { ManyFilter } from '../data/audit.ts';
import { countFailed, permanentFailures } from '../data/failures.ts';
import { recordFilterOf } from '../data/retry-many.ts';
import { ago, type Context, page, Refused, sinceIn, textIn } from '../page.ts';
import { actionForm, textField } from '../parts/forms.tsx';
import { given, link, table } from '../parts/values.tsx';
import { counted, moment } from '../parts/words.ts';

const HOUR_MS = 3_600_000;

/** Retry all failed messages of one scope with one error: how many there are, to be typed. */
export const retry = page({
  title: () => 'Retry many',
  hasForms: () => true,
  read: async (context) => {
    const filter = await filterOf(context);
    const counts = await countFailed(context, recordFilterOf(filter));
    return { filter, counts, matching: counts.reduce((sum, { records }) => sum + records, 0) };
  },
  look: ({ filter: { scope, error, since, until }, counts: rows, matching }, context) => [
    <p>
      Messages of {given(scope)} that failed with {given(error)} and were first claimed from{' '}
      {moment(new Date(since))} to {moment(new Date(until))}:
    </p>,
    <p class="lead">{counted(matching, 'message')}</p>,
    table({
      caption: 'By error',
      ...{ now: context.now, rows },
      empty: 'No message is failed now: they were retried, or have run again.',
      columns: {
        records: ({ records }) => records,
        error: ({ error: name }) => name,
        code: ({ code }) => code && String(code),
      },
    }),
    matching > 0 &&
      context.mayAct &&
      actionForm(context, 'retry', 'Retry them', [
        <input type="hidden" name="since" value={since} />,
        <input type="hidden" name="until" value={until} />,
        <p>
          Retry allows each to run again. Each runs when its broker or its sender delivers it again. If the
          number of failed messages has changed by then, nothing is retried.
        </p>,
        textField('confirm', `Type ${matching} to confirm`),
      ]),
    <p>{link('What was done so far', 'audit')}</p>,
  ],
});

/** From an hour before the first claim of the oldest message that has a line in `failures`: some have none. */
async function filterOf(context: Context): Promise<ManyFilter> {
  const [scope, error] = [textIn(context, 'scope'), textIn(context, 'error')];
  if (scope === undefined || error === undefined)
    throw new Refused('scope and error of the messages are needed');
  const { sinceMs } = sinceIn(context);
  const { oldestAt } = await permanentFailures(context, { scope, error, sinceMs });
  const since = Math.min(oldestAt?.getTime() ?? Infinity, ago(context, sinceMs).getTime()) - HOUR_MS;
  return { scope, error, since: new Date(since).toISOString(), until: context.now.toISOString() };
}
