import { AssertionError } from 'node:assert/strict';
import { onceEach } from 'handle-once/adapter';
import { adapterContract, type AdapterUnderTest, type ScriptedMessage } from 'handle-once/contracts';
import { describe, expect, test } from 'vitest';

const key = ({ id }: ScriptedMessage) => id;
const body = (message: ScriptedMessage) => message.body;
const acknowledge = (message: ScriptedMessage) => message.acknowledge();

function deadLettersOf(deadLetter: ((message: ScriptedMessage) => Promise<void>) | undefined) {
  return deadLetter === undefined ? ('keep' as const) : { to: 'dead', send: deadLetter };
}

const ADAPTERS: Record<string, AdapterUnderTest> = {
  'onceEach with all calls': {
    can: { extend: true, tellsLoss: true, retryLater: true, deadLetter: true, keepFailed: true },
    handle: (message, { handleOnce, handler, signal, ackWaitMs, deadLetter }) =>
      onceEach(
        {
          ...{ handleOnce, key, body, acknowledge, ackWaitMs },
          retryLater: (delivered, delayMs) => delivered.retryLater(delayMs),
          extend: (delivered) => delivered.extend(),
          onFailed: deadLettersOf(deadLetter),
          onEvent: () => undefined,
        },
        handler,
      )(message, { signal }),
  },
  'onceEach with an acknowledgement alone': {
    can: { extend: false, tellsLoss: false, retryLater: false, deadLetter: true, keepFailed: true },
    handle: (message, { handleOnce, handler, signal, deadLetter }) =>
      onceEach(
        {
          ...{ handleOnce, key, body, acknowledge },
          onFailed: deadLettersOf(deadLetter),
          onEvent: () => undefined,
        },
        handler,
      )(message, { signal }),
  },
};

describe.concurrent.each(Object.entries(ADAPTERS))('%s', (_, adapter) => {
  for (const { name, run } of adapterContract(adapter)) test(name, run);
});

/** An adapter over a client that understands another delay. */
const waiting =
  (change: (delayMs: number) => number): AdapterUnderTest['handle'] =>
  (message, { handleOnce, handler, signal }) =>
    onceEach(
      {
        ...{ handleOnce, key, body, acknowledge },
        retryLater: (delivered, delayMs) => delivered.retryLater(change(delayMs)),
        onFailed: 'keep',
        onEvent: () => undefined,
      },
      handler,
    )(message, { signal });

const BROKEN: Record<string, AdapterUnderTest['handle']> = {
  'has no delay': waiting(() => 0),
  'takes milliseconds for seconds': waiting((delayMs) => delayMs * 1_000),
  'gives seconds': waiting((delayMs) => delayMs / 1_000),
  async 'acknowledges first'(message, { handleOnce, handler }) {
    await message.acknowledge();
    await handleOnce(message.id, message.body, handler);
  },
  async 'acknowledges whatever the outcome'(message, { handleOnce, handler, signal }) {
    await handleOnce(message.id, message.body, handler, { signal }).catch(() => undefined);
    await message.acknowledge();
  },
  'has one key for all messages': (message, { handleOnce, handler, signal }) =>
    onceEach(
      { handleOnce, key: () => 'key', body, acknowledge, onFailed: 'keep', onEvent: () => undefined },
      handler,
    )(message, { signal }),
  async 'keeps no record'(message, { handler }) {
    await handler(message.body);
    await message.acknowledge();
  },
};

const DELAYED = 'makes a message that will be retried wait for the time of its outcome';

test.each([
  ['has no delay', DELAYED],
  ['takes milliseconds for seconds', DELAYED],
  ['gives seconds', DELAYED],
  ['acknowledges first', 'acknowledges a message once its record is settled, and not before'],
  ['acknowledges whatever the outcome', 'keeps a message whose handler threw, and runs it again'],
  ['acknowledges whatever the outcome', 'keeps a message while the store is down, and runs nothing'],
  ['acknowledges whatever the outcome', 'starts nothing when the consumer stops'],
  ['acknowledges whatever the outcome', 'keeps a message whose handler a stop interrupts, and runs it again'],
  ['has one key for all messages', 'runs two messages with equal bodies and different ids'],
  ['keeps no record', 'acknowledges a duplicate that is answered from the record'],
  ['keeps no record', 'acknowledges a message again whose acknowledgement failed, without another run'],
])('an adapter that %s is found by: %s', async (fault, name) => {
  const can = { extend: false, tellsLoss: false, retryLater: true, deadLetter: true, keepFailed: true };
  const handle = BROKEN[fault] ?? expect.unreachable(fault);
  const found = adapterContract({ can, handle }).find((promise) => promise.name === name);
  await expect((found ?? expect.unreachable(name)).run()).rejects.toThrow(AssertionError);
});

test('an adapter whose handle returns no promise is told so', async () => {
  const can = { extend: false, tellsLoss: false, retryLater: true, deadLetter: true, keepFailed: true };
  const cases = adapterContract({ can, handle: (() => undefined) as never });
  for (const { run } of cases) await expect(run()).rejects.toThrow('handle did not return a promise');
});
