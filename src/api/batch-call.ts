import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import { Batch } from '../engine/batch/batch.ts';
import { handleSeated } from '../engine/batch/handle-seated.ts';
import type { Handle } from '../engine/handle.ts';
import type { HandleOnceSettings } from '../engine/settings.ts';
import { lazily } from '../lib/lazily.ts';
import { batchFaults, MAX_BATCH_SIZE } from '../options/batch-options.ts';
import { handlerOption } from '../options/handler-option.ts';
import { parseOptions } from '../options/parse-options.ts';
import type { BatchHandler } from '../words/batch-handler.ts';
import { type Handled, refused } from '../words/endings.ts';
import { InvalidOptionsError } from '../words/errors.ts';
import { batchOptionsSchema } from './checked-call.ts';
import type { BatchCallOptions, BatchEntry } from './batch-calls.ts';

const SUBJECT = 'handleOnce.batch';

/** A call of `handleOnce.batch` with arguments of any type. */
export type AnyBatchCall<Extra extends readonly unknown[]> = <Result>(
  entries: readonly BatchEntry<unknown>[],
  fn: BatchHandler<never, Extra, Result>,
  options?: ResolvedBatchCall,
) => Promise<readonly Handled<Result>[]>;

interface ResolvedBatchCall extends BatchCallOptions<never> {
  readonly parse?: ((payload: never) => unknown) | undefined;
  readonly schema?: StandardSchemaV1 | undefined;
}

const ENTRY = 'must be an object { key, payload }';
const ENTRIES = `must be a list of at most ${MAX_BATCH_SIZE} objects { key, payload }`;

const callSchema = lazily(() =>
  z.object({
    entries: z
      .array(
        z.strictObject({ key: z.optional(z.unknown()), payload: z.optional(z.unknown()) }, { error: ENTRY }),
        { error: ENTRIES },
      )
      .check(
        z.maxLength(MAX_BATCH_SIZE, {
          error: ({ input }) => `${ENTRIES}, got ${(input as unknown[]).length}: make several calls`,
        }),
      ),
    handler: handlerOption('payloads, attempts'),
  }),
);

/** Makes a `handleOnce.batch` function that checks its arguments. */
export function createBatchCall<Extra extends readonly unknown[]>(
  handle: Handle<Extra>,
  settings: HandleOnceSettings,
  inTransaction: boolean,
): AnyBatchCall<Extra> {
  return async function batch<Result>(
    entries: readonly BatchEntry<unknown>[],
    fn: BatchHandler<never, Extra, Result>,
    given: ResolvedBatchCall = {},
  ) {
    parseOptions(SUBJECT, callSchema(), { entries, handler: fn });
    const { schema = settings.schema, ...options } = parseOptions(SUBJECT, batchOptionsSchema(), given);
    const faults = batchFaults(settings, inTransaction);
    if (faults.length > 0) throw new InvalidOptionsError(SUBJECT, faults);
    const together = new Batch(fn);
    const handling = entries.map(async ({ key, payload }): Promise<Handled<Result>> => {
      const seat = together.take();
      const delivery = { ...options, key, payload, content: payload, schema, handler: seat.handler as never };
      try {
        // No lane ends: each message is answered.
        return (await handleSeated<Handled<Result>>(seat, (place) =>
          handle({ ...delivery, seat: place }),
        )) as Handled<Result>;
      } catch (error) {
        return refused(error);
      } finally {
        seat.leave(true);
      }
    });
    await together.run();
    return await Promise.all(handling);
  };
}
