import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHandleOnce } from 'handle-once';
import { onceEach } from 'handle-once/adapter';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test } from 'vitest';

test('every call of an adapter and every event of a message is in the context of its caller', async () => {
  const context = new AsyncLocalStorage<string>();
  const seen: { readonly what: string; readonly of: string; readonly in: string | undefined }[] = [];
  const note = (what: string, id: string): void => {
    seen.push({ what, of: id, in: context.getStore() });
  };
  const noteMessage = (what: string) => (message: { id: string }) => {
    note(what, message.id);
  };
  const handleMessage = onceEach(
    {
      handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 'context', backoff: () => 0 }),
      key: ({ id }: { id: string }) => id,
      body: (message) => message,
      acknowledge: noteMessage('acknowledge'),
      retryLater: noteMessage('retry-later'),
      ackWaitMs: 2_000,
      extend: noteMessage('extend'),
      onFailed: 'keep',
      onEvent: (event) => {
        if ('key' in event) note(event.type, event.key);
      },
    },
    async (_, { message, number }) => {
      await sleep(800);
      note('handler', message.id);
      if (number === 1) throw new Error('not now');
    },
  );
  const ids = Array.from({ length: 20 }, (_, index) => `message-${index}`);
  for (const action of ['kept', 'acknowledged']) {
    const handled = await Promise.all(ids.map((id) => context.run(id, () => handleMessage({ id }))));
    expect(new Set(handled.map((one) => one.action))).toEqual(new Set([action]));
  }
  const verbs = ['acknowledge', 'acknowledged', 'extend', 'handler', 'kept', 'retry-later'];
  expect([...new Set(seen.map(({ what }) => what))].toSorted()).toEqual(verbs);
  expect(seen.filter((one) => one.in !== one.of)).toEqual([]);
});
