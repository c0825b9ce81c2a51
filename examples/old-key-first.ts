// Waits while a worker handles the message under its old key, and counts nothing meanwhile: docs/moving-over.md.
import { setTimeout } from 'node:timers/promises';
import type { Attempt, HandleOnce } from 'handle-once';

export async function isDoneUnder(oldKey: string, attempt: Attempt, { lookup }: Pick<HandleOnce, 'lookup'>) {
  for (;;) {
    const before = await lookup(oldKey);
    if (before?.state !== 'pending') return before !== undefined;
    if (before.reason !== 'in-flight' || before.retryAfterMs === 0) return false;
    await setTimeout(Math.min(before.retryAfterMs, 1_000), undefined, { signal: attempt.signal });
  }
}
