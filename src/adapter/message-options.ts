import * as z from 'zod';

/** Options that come with one message, for adapters that do not receive themselves. */
export const messageOptions = z.strictObject(
  {
    signal: z.instanceof(AbortSignal, { error: 'must be an AbortSignal' }).optional(),
    receivedAt: z.number({ error: 'must be milliseconds, as Date.now() gives them' }).optional(),
  },
  { error: 'the options must be an object' },
);
