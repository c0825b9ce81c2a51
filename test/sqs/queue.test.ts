import type { BatchResultErrorEntry } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { attempt, createQueue, type SqsClient } from '../../adapters/shared/sqs/queue.ts';
import { systemClock } from '../../src/lib/clock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

interface Command {
  readonly input: { readonly Entries: { readonly Id: string; readonly ReceiptHandle: string }[] };
}

/** A queue, and what it was asked. It answers entries by their receipt handles. */
function setup(failureOf: (handle: string) => Partial<BatchResultErrorEntry> | 'lost' | undefined) {
  const asked: object[] = [];
  const send = ({ input: { Entries } }: Command): Promise<object> => {
    asked.push(...Entries.map(({ Id: _, ...entry }) => entry));
    const found = Entries.map(({ Id, ReceiptHandle }) => ({ Id, failure: failureOf(ReceiptHandle) }));
    return Promise.resolve({
      Successful: found.filter(({ failure }) => failure === undefined),
      Failed: found.flatMap(({ Id, failure }) => (typeof failure === 'object' ? [{ Id, ...failure }] : [])),
    });
  };
  const client = { send } as unknown as SqsClient;
  return { asked, queue: createQueue(client, 'https://sqs.example/1/orders', systemClock) };
}

test('an entry is done where the reply says so, and is sent again where that can help', async () => {
  const outages = [{}, {}];
  const { asked, queue } = setup((handle) => {
    if (handle === 'refused') return { Code: 'ReceiptHandleIsInvalid', SenderFault: true };
    if (handle === 'failing') return { Code: 'InternalError', SenderFault: false };
    if (handle === 'busy') return outages.shift();
    return handle === 'lost' ? 'lost' : undefined;
  });
  const handles = ['well', 'refused', 'failing', 'busy', 'lost'];
  const replies = Promise.all(handles.map((handle) => queue.delete(handle)));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await replies).toEqual([
    { done: true },
    { done: false, code: 'ReceiptHandleIsInvalid', retriable: false },
    { done: false, code: 'InternalError', retriable: true },
    { done: true },
    { done: false, code: 'missing from the reply', retriable: true },
  ]);
  const tries = handles.map(
    (handle) => asked.filter((entry) => Object.values(entry).includes(handle)).length,
  );
  expect(tries).toEqual([1, 1, 3, 3, 3]);
});

test('an entry of a visibility has its seconds, and a refusal without a code is one', async () => {
  const { asked, queue } = setup(() => ({ SenderFault: true }));
  expect(await attempt(queue.changeVisibility('handle', 7))).toEqual({
    ...{ done: false, error: new Error('the queue refused the entry: unknown') },
  });
  expect(asked).toEqual([{ ReceiptHandle: 'handle', VisibilityTimeout: 7 }]);
});

test('what the client throws is why an entry is not done', async () => {
  const error = new Error('down');
  const { queue } = setup(() => {
    throw error;
  });
  expect(await attempt(queue.delete('handle'))).toEqual({ done: false, error });
});
