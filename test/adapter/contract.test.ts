import { onceEach } from 'handle-once/adapter';
import { adapterContract, type AdapterUnderTest, type ScriptedMessage } from 'handle-once/testing';
import { describe, test } from 'vitest';

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

describe.each(Object.entries(ADAPTERS))('%s', (_, adapter) => {
  for (const { name, run } of adapterContract(adapter)) test(name, run);
});
