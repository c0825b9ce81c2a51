import {
  createDroppedAttributesWarning,
  createQueueCall,
  type EventSink,
  type OnFailed,
  type QueueCallOptions,
} from '../../src/adapter-kit.ts';
import type { Attempt } from '../../src/index.ts';
import type { SqsEvent } from './events.ts';
import type { SqsMessage } from './message.ts';
import type { SqsAttempt } from './options.ts';
import type { Processor } from './process-delivery.ts';
import type { Queue } from './queue.ts';

export interface ProcessorOptions extends QueueCallOptions {
  readonly key: (message: SqsMessage) => string | undefined;
  readonly onFailed?: OnFailed | undefined;
}

export function createProcessor<R>(
  options: ProcessorOptions,
  queue: Queue,
  events: EventSink<SqsEvent>,
  handler: (payload: never, attempt: SqsAttempt, ...extra: never[]) => R | PromiseLike<R>,
): Processor<R> {
  const call = createQueueCall(options);
  return {
    queue,
    events,
    scope: options.handleOnce.settings.scope,
    onFailed: options.onFailed,
    warnDropped: createDroppedAttributesWarning(events),
    keyOf: options.key,
    handle(key, message, { signal, onStart, onHandled }) {
      const run = async (payload: unknown, attempt: Attempt, ...extra: unknown[]): Promise<R> => {
        onStart?.();
        try {
          return await handler(payload as never, { ...attempt, message }, ...(extra as never[]));
        } finally {
          onHandled?.();
        }
      };
      return call(key, message, run, signal);
    },
  };
}
