import type { AnyHandleOnce } from '../api/handle-once.ts';
import type { GivenRetries, RetryOptions } from '../options/retries.ts';

/**
 * Options whose `handleOnce` tries messages as often as they say.
 *
 * `defaults` are of an adapter that has its own, and apply where neither it nor `createHandleOnce` was told.
 */
export function withOwnRetries<Options extends GivenRetries & { readonly handleOnce: AnyHandleOnce }>(
  options: Options,
  defaults?: RetryOptions,
): Options {
  const { maxAttempts, maxDeaths, backoff } = options;
  const isTold = options.handleOnce.settings.hasOwnRetries;
  const handleOnce =
    defaults === undefined || isTold ? options.handleOnce : options.handleOnce.withRetries(defaults);
  if (maxAttempts === undefined && maxDeaths === undefined && backoff === undefined) {
    return { ...options, handleOnce };
  }
  return { ...options, handleOnce: handleOnce.withRetries({ maxAttempts, maxDeaths, backoff }) };
}
