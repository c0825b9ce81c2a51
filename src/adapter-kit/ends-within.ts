import { setTimeout as sleep } from 'node:timers/promises';

/** Whether something ends within a time. It goes on in any case. */
export async function endsWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const timer = new AbortController();
  const timeout = sleep(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const ended = await Promise.race([work.then(() => true), timeout]);
  timer.abort();
  return ended;
}
