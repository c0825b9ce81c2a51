import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createHandleOnce, type HandleOnceEvent } from 'handle-once';
import { onceEach } from 'handle-once/adapter';
import { createMemoryStore } from 'handle-once/testing';
import { expect, onTestFinished, test } from 'vitest';

function published(name: string): string[] {
  const types: string[] = [];
  const listen = (event: unknown): void => {
    types.push((event as HandleOnceEvent).type);
  };
  subscribe(name, listen);
  onTestFinished(() => {
    unsubscribe(name, listen);
  });
  return types;
}

test('events are published on channels of Node, those of the core and of adapters apart', async () => {
  const core = published('handle-once:core');
  const adapter = published('handle-once:adapter');
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
  const ends = { acknowledge: () => 1, retryLater: () => 1, onFailed: 'keep' } as const;
  const handle = onceEach(
    { handleOnce, key: (id: string) => id, body: (id: string) => id, ...ends },
    () => undefined,
  );
  await handle('7');
  await handle('7');
  expect(core).toEqual(['claimed', 'succeeded', 'replayed']);
  expect(adapter).toEqual(['acknowledged', 'replayed', 'acknowledged']);
});
