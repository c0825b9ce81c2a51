import * as z from 'zod';

/** What the caller of an adapter without a loop of its own knows of a message beyond the message. */
export const messageOptions = z.strictObject(
  {
    signal: z.instanceof(AbortSignal, { error: 'must be an AbortSignal' }).optional(),
    receivedAt: z.number({ error: 'must be milliseconds, as Date.now() gives them' }).optional(),
  },
  { error: 'the options must be an object' },
);
