import * as z from 'zod';
import { abortSignal, NOT_AN_OBJECT } from '../options/parse-options.ts';

const MILLISECONDS = { error: 'must be milliseconds since 1970, as Date.now() gives them' };
/** Of 1973. Smaller are seconds, and what performance.now() gives. */
const EARLIEST_MS = 100_000_000_000;

/** Options that come with one message, for adapters that do not receive themselves. */
export const messageOptions = z.strictObject(
  {
    signal: abortSignal.optional(),
    receivedAt: z
      .number(MILLISECONDS)
      .min(EARLIEST_MS, { ...MILLISECONDS, abort: true })
      .optional(),
  },
  NOT_AN_OBJECT,
);
