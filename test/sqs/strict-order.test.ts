import { createHandleOnce } from 'handle-once';
import { createSqsWorker, type SqsEvent, type SqsMessage } from 'handle-once/sqs';
import type { Store } from 'handle-once/store';
import { createMemoryStore } from 'handle-once/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { gate } from '../support/gate.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

interface Command {
  readonly input: { readonly Entries?: readonly { readonly Id: string; readonly ReceiptHandle: string }[] };
}

function message(id: string): SqsMessage {
  return { MessageId: id, ReceiptHandle: id, Body: '1', Attributes: { MessageGroupId: 'g' } };
}

/** The first claims of a group. Both statements leave in the same turn. */
const BESIDE = ['claim a', 'run a', 'settle a', 'claim b'];

/** Between a call of the store and its reply. */
interface Seam {
  /** Asked with a settle. It can hold the reply back, or make it another one. */
  readonly settle?: (key: string, settled: () => Promise<readonly string[]>) => Promise<readonly string[]>;
  /** Waited for before a delete is answered. */
  readonly deleted?: Promise<void>;
}

/** A worker that gets three messages of one group, with what happens at its store, its handler and its queue. */
async function handleGroup(
  { settle, deleted }: Seam,
  concurrency = 10,
  key = ({ MessageId }: SqsMessage) => MessageId,
) {
  const seen: string[] = [];
  const memory = createMemoryStore();
  const store: Store = {
    ...memory,
    claim(requests, terms) {
      for (const { key } of requests) seen.push(`claim ${key}`);
      return memory.claim(requests, terms);
    },
    settle(requests, scope) {
      const key = requests[0]?.key ?? '';
      seen.push(`settle ${key}`);
      const settled = () => memory.settle(requests, scope);
      return (settle === undefined ? settled() : settle(key, settled)) as ReturnType<Store['settle']>;
    },
  };
  const batches = [['a', 'b', 'c'].map(message)];
  const send = async (command: Command): Promise<object> => {
    const { Entries = [] } = command.input;
    const name = command.constructor.name;
    if (name === 'ReceiveMessageCommand')
      return { Messages: batches.shift() ?? (await new Promise(() => undefined)) };
    for (const { ReceiptHandle } of Entries) {
      seen.push(`${name === 'DeleteMessageBatchCommand' ? 'delete' : 'show'} ${ReceiptHandle}`);
    }
    if (Entries.length > 0) await deleted;
    return { Successful: Entries };
  };
  const events: SqsEvent[] = [];
  const worker = createSqsWorker(
    {
      client: { send },
      queueUrl: 'https://sqs.example/queue.fifo',
      handleOnce: createHandleOnce({ store, scope: 's', leaseMs: 10_000 }),
      ...{ onFailed: 'keep', visibilityTimeoutSeconds: 60, concurrency, key },
      onEvent: (event) => events.push(event),
    },
    (_, { key }) => {
      seen.push(`run ${key}`);
    },
  );
  await worker.start();
  await vi.advanceTimersByTimeAsync(0);
  return { seen, events, worker, records: () => memory.records() };
}

test('the next of a group is claimed beside the settle of the one before, and runs when that is answered', async () => {
  const mayAnswer = gate();
  const { seen } = await handleGroup({
    async settle(key, settled) {
      if (key === 'a') await mayAnswer.opened;
      return await settled();
    },
  });
  expect(seen).toEqual(BESIDE);
  mayAnswer.open();
  await vi.advanceTimersByTimeAsync(0);
  expect(seen.filter((what) => what.startsWith('run'))).toEqual(['run a', 'run b', 'run c']);
});

test('a settle that comes back lost gives the next its claim back, uncounted, and its handler does not start', async () => {
  const { seen, events, records } = await handleGroup({
    settle: async (key, settled) => (key === 'a' ? ['lost'] : await settled()),
  });
  expect(seen.slice(0, BESIDE.length)).toEqual(BESIDE);
  expect(seen.filter((what) => what.startsWith('run'))).toEqual(['run a']);
  expect(records().find(({ key }) => key === 'b')).toMatchObject({ state: 'pending', attempts: 0 });
  expect(events.flatMap((event) => (event.type === 'returned' ? [event.messageId] : [])).toSorted()).toEqual([
    'b',
    'c',
  ]);
});

test('a settle that gets no answer gives the next its claim back too', async () => {
  const { seen, records } = await handleGroup({
    settle: (key, settled) => (key === 'a' ? new Promise(() => undefined) : settled()),
  });
  expect(seen).toEqual(BESIDE);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(seen.filter((what) => what.startsWith('run'))).toEqual(['run a']);
  expect(records().find(({ key }) => key === 'b')).toMatchObject({ state: 'pending', attempts: 0 });
  expect(seen).toContain('show b');
  expect(seen).toContain('show c');
});

test('one with the key of the one before it is answered from the record of that, and not kept', async () => {
  const { seen, worker } = await handleGroup({}, 10, () => 'same');
  expect(seen.filter((what) => what.startsWith('run'))).toEqual(['run same']);
  expect(seen.filter((what) => what.startsWith('delete')).toSorted()).toEqual([
    'delete a',
    'delete b',
    'delete c',
  ]);
  expect(worker.counts()).toMatchObject({ acknowledged: 3, replayed: 2 });
});

test('a group does not wait for its deletes', async () => {
  const { seen } = await handleGroup({ deleted: new Promise(() => undefined) });
  expect(seen.filter((what) => what.startsWith('run'))).toEqual(['run a', 'run b', 'run c']);
});

test('with room for one handler a group goes on in order', async () => {
  const { seen } = await handleGroup({}, 1);
  expect(seen.filter((what) => what.startsWith('run'))).toEqual(['run a', 'run b', 'run c']);
});

test('what has its claim and not its turn at a stop is returned, uncounted', async () => {
  const mayAnswer = gate();
  const { seen, worker, records } = await handleGroup({
    async settle(key, settled) {
      if (key === 'a') await mayAnswer.opened;
      return await settled();
    },
  });
  const stopped = worker.stop();
  mayAnswer.open();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await stopped).toEqual({ abandoned: 0 });
  expect(seen.filter((what) => what.startsWith('run'))).toEqual(['run a']);
  expect(seen).toContain('delete a');
  expect(seen).toContain('show b');
  expect(records().find(({ key }) => key === 'b')).toMatchObject({ state: 'pending', attempts: 0 });
});
