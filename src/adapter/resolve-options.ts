import type * as z from 'zod/mini';
import type { AnyHandleOnce } from '../api/handle-once.ts';
import { withHandler } from '../options/handler-option.ts';
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

/** The options of an adapter as they apply. Throws `InvalidOptionsError` that names every wrong field. */
export function resolveOptions<
  Schema extends z.ZodMiniType<GivenRetries & { readonly handleOnce: AnyHandleOnce }>,
>(
  subject: string,
  schema: Schema,
  options: unknown,
  handler: unknown,
  defaults?: RetryOptions,
): z.output<Schema> {
  return withOwnRetries(parseOptions(subject, schema, withHandler(options, handler)), defaults);
}
