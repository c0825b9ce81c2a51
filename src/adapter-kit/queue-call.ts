import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Handler } from '../attempt.ts';
import type { AnyHandleOnce, ParseOption } from '../calls.ts';
import { type FingerprintOptions, fingerprintOptionsFor } from '../fingerprint-options.ts';
import type { Outcome } from '../outcome.ts';
import { callOf } from './transactional-option.ts';

/** A message of a queue, as far as it is compared and parsed. */
interface QueueMessage {
  readonly Body?: string | undefined;
}

export interface QueueCallOptions extends FingerprintOptions<string, [message: never]> {
  readonly handleOnce: AnyHandleOnce;
  readonly inTransaction: boolean;
  readonly schema?: StandardSchemaV1 | undefined;
  readonly parse: (body: string) => unknown;
}

export type QueueCall = <R>(
  key: string,
  message: QueueMessage,
  run: Handler<unknown, R, unknown[]>,
  signal: AbortSignal | undefined,
) => Promise<Outcome<R>>;

/** Binds `handleOnce` to a queue: the body is the payload, and is parsed only by the delivery that runs. */
export function createQueueCall(options: QueueCallOptions): QueueCall {
  const { handleOnce, inTransaction, schema, parse } = options;
  const call = callOf(handleOnce, inTransaction);
  const how: ParseOption<string, unknown> = schema === undefined ? { parse } : { parse, ...{ schema } };
  return (key, message, run, signal) =>
    call(key, message.Body ?? '', run, {
      ...how,
      signal,
      ...fingerprintOptionsFor<string, never>(options, message as never),
    });
}
