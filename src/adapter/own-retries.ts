import type { AnyHandleOnce } from '../api/handle-once.ts';
import type { GivenRetries, RetryOptions } from '../options/retries.ts';

/**
 * Applies the `maxAttempts`, `maxDeaths` and `backoff` of an adapter to its `handleOnce`. `defaults` apply where
 * neither the adapter nor `createHandleOnce` was given any.
 */
export function withOwnRetries<Options extends GivenRetries & { readonly handleOnce: AnyHandleOnce }>(
  options: Options,
  defaults?: RetryOptions,
): Options {
  const { maxAttempts, maxDeaths, backoff } = options;
  const isChosen = options.handleOnce.settings.retriesWereChosen;
  const handleOnce =
    defaults === undefined || isChosen ? options.handleOnce : options.handleOnce.withRetries(defaults);
  if (maxAttempts === undefined && maxDeaths === undefined && backoff === undefined) {
    return { ...options, handleOnce };
  }
  return { ...options, handleOnce: handleOnce.withRetries({ maxAttempts, maxDeaths, backoff }) };
}
