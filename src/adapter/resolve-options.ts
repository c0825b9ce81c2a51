import type * as z from 'zod/mini';
import type { AnyHandleOnce } from '../api/handle-once.ts';
import { batchFaults, type BatchOptions } from '../options/batch-options.ts';
import { withHandler } from '../options/handler-option.ts';
import { InvalidOptionsError } from '../words/errors.ts';
import { parseOptions } from '../options/parse-options.ts';
import type { GivenRetries, RetryOptions } from '../options/retries.ts';

/**
 * Applies the retries of an adapter to its `handleOnce`. `defaults` apply where neither the adapter nor
 * `createHandleOnce` was given any.
 */
export function withOwnRetries<Options extends GivenRetries & { readonly handleOnce: AnyHandleOnce }>(
  options: Options,
  defaults?: RetryOptions,
): Options {
  const { maxAttempts, maxDeaths, maxDeferredMs, backoff } = options;
  const isChosen = options.handleOnce.settings.retriesWereChosen;
  const handleOnce =
    defaults === undefined || isChosen ? options.handleOnce : options.handleOnce.withRetries(defaults);
  const given = { maxAttempts, maxDeaths, maxDeferredMs, backoff };
  if (Object.values(given).every((each) => each === undefined)) return { ...options, handleOnce };
  return { ...options, handleOnce: handleOnce.withRetries(given) };
}

interface ConsumerOptions extends GivenRetries {
  readonly handleOnce: AnyHandleOnce;
  readonly inTransaction?: boolean;
  readonly batch?: BatchOptions | undefined;
  readonly concurrency?: number | undefined;
}

/** Messages that run at once, in all batches. */
const MOST_IN_BATCHES = 5_000;

/** The options of an adapter as they apply. Throws `InvalidOptionsError` that names every wrong field. */
export function resolveOptions<Schema extends z.ZodMiniType<ConsumerOptions>>(
  subject: string,
  schema: Schema,
  options: unknown,
  handler: unknown,
  defaults?: RetryOptions,
): z.output<Schema> {
  const resolved = withOwnRetries(parseOptions(subject, schema, withHandler(options, handler)), defaults);
  refuseForBatch(subject, resolved);
  return resolved;
}

function refuseForBatch(
  subject: string,
  { handleOnce, inTransaction, batch, concurrency = 1 }: ConsumerOptions,
): void {
  if (batch === undefined) return;
  const faults = [...batchFaults(handleOnce.settings, inTransaction === true)];
  if (concurrency * batch.size > MOST_IN_BATCHES) {
    const message = `times concurrency must be at most 5,000 messages (got ${batch.size} times ${concurrency})`;
    faults.push({ field: 'batch.size', message });
  }
  if (faults.length > 0) throw new InvalidOptionsError(subject, faults);
}
