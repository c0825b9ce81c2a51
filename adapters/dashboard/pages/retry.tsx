import { retryFailed } from '../../operations/retry-failed.ts';
import { readingClient } from '../bounded-client.ts';
import type { Context } from '../context.ts';
import type { ManyFilter } from '../data/audit.ts';
import { oldestOfGroup } from '../data/failures.ts';
import { retryOptionsOf } from '../data/retry-many.ts';
import { linkTo } from '../links.ts';
import { BadRequest, page, sinceIn, textIn } from '../page.ts';
import { actionForm, textField } from '../parts/forms.tsx';
import { given } from '../parts/values.tsx';
import { counted, moment } from '../parts/words.ts';

const HOUR_MS = 3_600_000;
/** A count may read most of a large table. */
const COUNT_MS = 30_000;

/** Retry all failed messages of one scope with one error: how many there are, to be typed. */
export const retry = page({
  title: () => 'Retry many',
  hasForms: () => true,
  read: async (context) => {
    const filter = await filterOf(context);
    const { tables, now } = context;
    const counting = { ...tables, sql: readingClient(tables.sql, COUNT_MS), replyTimeoutMs: 2 * COUNT_MS };
    const { matching } = await retryFailed({ ...counting, ...retryOptionsOf(filter, now) });
    return { filter, matching };
  },
  look: ({ filter: { scope, error, since, until }, matching }, context) => (
    <>
      <p>
        Failed messages of {given(scope)} with {given(error)}, first claimed from {moment(new Date(since))} to{' '}
        {moment(new Date(until))}:
      </p>
      <p class="lead">{counted(matching, 'message')}</p>
      {matching === 0 && <p class="empty">There is nothing to retry. Another person may have done it.</p>}
      {matching > 0 &&
        context.mayAct &&
        actionForm(context, 'retry', 'Retry them', [
          <input type="hidden" name="since" value={since} />,
          <input type="hidden" name="until" value={until} />,
          <p>
            Then each may run again. Nothing runs before its broker or its sender delivers it once more. This
            process retries one after the other. When another number of messages matches by then, it changes
            nothing.
          </p>,
          textField('confirm', `Type ${matching} to confirm`),
        ])}
      <p>
        <a href={linkTo('audit')}>What was done so far</a>
      </p>
    </>
  ),
});

/** From an hour before the first claim of the oldest message that has a line in `failures`: some have none. */
async function filterOf(context: Context): Promise<ManyFilter> {
  const { parameters, now } = context;
  const [scope, error] = [textIn(parameters, 'scope'), textIn(parameters, 'error')];
  if (scope === undefined || error === undefined)
    throw new BadRequest('scope and error of the messages are needed');
  const { sinceMs } = sinceIn(context, '24h');
  const oldest = await oldestOfGroup(context, { scope, error, sinceMs, ending: 'failed' });
  const since = Math.min(oldest?.getTime() ?? Infinity, now.getTime() - sinceMs) - HOUR_MS;
  return { scope, error, since: new Date(since).toISOString(), until: now.toISOString() };
}
