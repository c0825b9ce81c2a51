import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Handler } from '../attempt.ts';
import type { AnyHandleOnce, ParseOption } from '../calls.ts';
import type { Outcome } from '../outcome.ts';
import { callOf } from './transactional-option.ts';

export interface QueueCallOptions {
  readonly handleOnce: AnyHandleOnce;
  readonly inTransaction: boolean;
  readonly schema?: StandardSchemaV1 | undefined;
  readonly parse: (body: string) => unknown;
}

export type QueueCall = <R>(
  key: string,
  body: string | undefined,
  run: Handler<unknown, R, unknown[]>,
  signal: AbortSignal | undefined,
) => Promise<Outcome<R>>;

/** Binds `handleOnce` to a queue: the body is the payload, and is parsed only by the delivery that runs. */
export function createQueueCall({ handleOnce, inTransaction, schema, parse }: QueueCallOptions): QueueCall {
  const call = callOf(handleOnce, inTransaction);
  const how: ParseOption<string, unknown> = schema === undefined ? { parse } : { parse, ...{ schema } };
  return (key, body = '', run, signal) => call(key, body, run, { ...how, signal });
}
