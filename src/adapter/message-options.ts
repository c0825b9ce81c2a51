import * as z from 'zod/mini';
import { lazily } from '../lib/lazily.ts';
import { abortSignal, NOT_AN_OBJECT } from '../options/parse-options.ts';

const MILLISECONDS = { error: 'must be milliseconds since 1970, as Date.now() gives them' };
/** Of 1973. Smaller are seconds, and what performance.now() gives. */
const EARLIEST_MS = 100_000_000_000;

/** Options of one message, for adapters that do not receive themselves. */
export const messageOptions = lazily(() =>
  z.strictObject(
    {
      signal: z.optional(abortSignal()),
      receivedAt: z.optional(
        z.number(MILLISECONDS).check(z.minimum(EARLIEST_MS, { ...MILLISECONDS, abort: true })),
      ),
    },
    NOT_AN_OBJECT,
  ),
);
