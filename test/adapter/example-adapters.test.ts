import type { Consumer, JetStreamClient, JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { DelayedError, type Job, UnrecoverableError } from 'bullmq';
import { TerminalError } from 'handle-once';
import { onceEach } from 'handle-once/adapter';
import {
  adapterContract,
  type AdapterUnderTest,
  type ContractSetup,
  type ScriptedMessage,
} from 'handle-once/contracts';
import { describe, test } from 'vitest';
import { jobCalls, processorOf } from '../../examples/adapters/bullmq.ts';
import { consume, jetStreamCalls } from '../../examples/adapters/nats-jetstream.ts';

const silent = { onEvent: () => undefined };

function jetStreamMessage(message: ScriptedMessage): JsMsg {
  const delivered: Partial<JsMsg> = {
    data: Buffer.from(message.body),
    headers: undefined,
    info: { stream: 'orders' } as JsMsg['info'],
    seq: Number(message.id),
    ackAck: () => message.acknowledge().then(() => true),
    nak: (delayMs) => void message.retryLater(delayMs),
    working: () => void message.extend(),
  };
  return delivered as JsMsg;
}

/** A consumer with one message: when it has been handled, or when the setup stops, `stop` aborts. */
function consumerOf(message: ScriptedMessage, { ackWaitMs, signal }: ContractSetup, stop: AbortController) {
  const messages = [jetStreamMessage(message)];
  const consumer: Pick<Consumer, 'info' | 'next'> = {
    info: () => Promise.resolve({ config: { ack_wait: ackWaitMs * 1e6 } }) as ReturnType<Consumer['info']>,
    next() {
      const next = messages.pop() ?? null;
      if (next === null || signal.aborted) stop.abort();
      return Promise.resolve(next);
    },
  };
  return consumer as Consumer;
}

/** As BullMQ handles what its processor throws. What failed permanently is kept in the failed set. */
async function runJob(
  process: ReturnType<typeof processorOf>,
  message: ScriptedMessage,
  signal: AbortSignal,
) {
  const job = {
    ...{ queueName: 'orders', id: message.id, timestamp: 0, opts: {}, data: message.body },
    moveToDelayed: (until: number) => message.retryLater(until - Date.now()),
  };
  try {
    await process(job as unknown as Job, 'token', signal);
    await message.acknowledge();
  } catch (error) {
    if (!(error instanceof DelayedError || error instanceof UnrecoverableError)) throw error;
  }
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(text as string);
  } catch {
    throw new TerminalError('not JSON');
  }
}

const ADAPTERS: Record<string, AdapterUnderTest> = {
  'nats-jetstream.ts': {
    can: { extend: true, tellsLoss: false, retryLater: true, deadLetter: true, keepFailed: true },
    async handle(message, setup) {
      const stop = new AbortController();
      const consumer = consumerOf(message, setup, stop);
      const js = { publish: () => setup.deadLetter?.(message) } as unknown as JetStreamClient;
      const connection = { flush: () => Promise.resolve() } as NatsConnection;
      const calls = await jetStreamCalls({ connection, js, consumer, failedSubject: 'failed' });
      const onFailed = setup.deadLetter === undefined ? ('keep' as const) : calls.onFailed;
      const { handleOnce, handler } = setup;
      const handle = onceEach({ handleOnce, ...calls, onFailed, ...silent }, handler);
      await consume(consumer, handle, { concurrency: 1, stop: stop.signal });
    },
  },
  'bullmq.ts': {
    can: { extend: false, tellsLoss: false, retryLater: true, deadLetter: false, keepFailed: true },
    handle(message, { handleOnce, handler, signal }) {
      const handle = onceEach({ handleOnce, ...jobCalls, ...silent }, (text) => handler(parsed(text)));
      return runJob(processorOf(handle), message, signal);
    },
  },
};

describe.concurrent.each(Object.entries(ADAPTERS))('%s', (_, adapter) => {
  for (const { name, run } of adapterContract(adapter)) test(name, run);
});
