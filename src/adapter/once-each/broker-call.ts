import type { Clock, Timer } from '../../lib/clock.ts';

/** Longer than any broker needs for a reply. */
const CALL_TIMEOUT_MS = 15_000;

/** What a call to a broker gives. Rejects when it throws, and when it has no end within 15 seconds. */
export async function brokerCall<T>(clock: Clock, call: () => T | PromiseLike<T>): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = clock.setTimer(() => {
      reject(new DOMException(`the broker gave no answer within ${CALL_TIMEOUT_MS} ms`, 'TimeoutError'));
    }, CALL_TIMEOUT_MS);
  });
  try {
    return await Promise.race([call(), late]);
  } finally {
    clock.clearTimer(timer);
  }
}
