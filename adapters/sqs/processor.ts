import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { EventSink, OnFailed } from '../../src/adapter-kit.ts';
import type { AnyHandleOnce, Attempt, Calls, HandleOnce, ParseOption } from '../../src/index.ts';
import type { SqsEvent } from './events.ts';
import type { SqsMessage } from './message.ts';
import type { SqsAttempt } from './options.ts';
import type { Processor } from './process-delivery.ts';
import type { Queue } from './queue.ts';

export interface ProcessorOptions {
  readonly handleOnce: AnyHandleOnce;
  readonly inTransaction: boolean;
  readonly schema?: StandardSchemaV1 | undefined;
  readonly parse: (body: string) => unknown;
  readonly key: (message: SqsMessage) => string | undefined;
  readonly onFailed: OnFailed;
}

/** Binds `handleOnce` to a queue: the body is the payload, and is parsed only by the delivery that runs. */
export function createProcessor<R>(
  options: ProcessorOptions,
  queue: Queue,
  events: EventSink<SqsEvent>,
  handler: (payload: never, attempt: SqsAttempt, ...extra: never[]) => R | PromiseLike<R>,
): Processor<R> {
  const { parse, schema, key: keyOf, onFailed } = options;
  const handleOnce = options.handleOnce as HandleOnce;
  const call: Calls<unknown[]> = options.inTransaction ? handleOnce.inTransaction : handleOnce;
  const how: ParseOption<string, unknown> = schema === undefined ? { parse } : { parse, ...{ schema } };
  return {
    queue,
    events,
    scope: handleOnce.settings.scope,
    onFailed,
    keyOf,
    handle(key, message, { signal, onStart, onHandled }) {
      const run = async (payload: unknown, attempt: Attempt, ...extra: unknown[]): Promise<R> => {
        onStart?.();
        try {
          return await handler(payload as never, { ...attempt, message }, ...(extra as never[]));
        } finally {
          onHandled?.();
        }
      };
      return call(key, message.Body ?? '', run, { ...how, signal });
    },
  };
}
