import type { Retries } from '../../../src/index.ts';

/** For a consumer whose partition waits for the message: four minutes. */
export const SHORT_RETRIES: Pick<Retries, 'maxAttempts' | 'backoff'> = {
  maxAttempts: 10,
  backoff: { baseMs: 1_000, maxMs: 300_000, factor: 2 },
};
