import type { BatchResultErrorEntry } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { attempt, createQueue, type SqsClient } from '../../adapters/shared/sqs/queue.ts';
import { boundedVisibility, startPoll } from '../../adapters/shared/sqs/visibility-limits.ts';
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
    asked.push(...Entries.map((entry) => ({ ...entry, Id: undefined })));
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
  expect(asked).toEqual([{ ReceiptHandle: 'handle', VisibilityTimeout: 7, Id: undefined }]);
});

test('what the client throws is why an entry is not done', async () => {
  const error = new Error('down');
  const { queue } = setup(() => {
    throw error;
  });
  expect(await attempt(queue.delete('handle'))).toEqual({ done: false, error });
});

const url = 'https://sqs.example/1/orders';
const request = { max: 10, waitTimeSeconds: 5, visibilityTimeoutSeconds: 60 };

/** A queue whose calls get what this gives. */
function queueOf(reply: (command: object) => Promise<object>) {
  return createQueue({ send: reply }, url, systemClock);
}

const hangs = () => new Promise<never>(() => undefined);

test('a receive asks for all attributes, and can give no messages', async () => {
  const send = vi.fn<(command: object) => Promise<object>>().mockResolvedValue({});
  expect(await queueOf(send).receive({ ...request, signal: new AbortController().signal })).toEqual([]);
  expect(send.mock.calls[0]?.[0]).toMatchObject({
    input: {
      ...{ QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: 5, VisibilityTimeout: 60 },
      ...{ MessageSystemAttributeNames: ['All'], MessageAttributeNames: ['All'] },
    },
  });
});

test('what is sent goes to another queue', async () => {
  const send = vi.fn<(command: object) => Promise<object>>().mockResolvedValue({});
  const input = { QueueUrl: `${url}-dead`, MessageBody: 'body' };
  await queueOf(send).send(input);
  expect(send.mock.calls).toMatchObject([[{ input }, {}]]);
});

test('entries of one call are given up after the time of the shortest', async () => {
  const queue = queueOf(hangs);
  const given = [queue.delete('a', 60_000), queue.delete('b', 1_000)].map(attempt);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await Promise.all(given)).toMatchObject(Array(2).fill({ error: { name: 'TimeoutError' } }));
});

describe('A queue is silent', () => {
  /** Whether it is after so many milliseconds of a call that hangs from the first, with one that ends so at 1 s. */
  async function isSilentAfter(milliseconds: number, endsOther: () => Promise<object>, at = 1_000) {
    const queue = queueOf(() => (vi.getTimerCount() === 0 ? hangs() : endsOther()));
    const before = queue.isSilent();
    queue.attributes().catch(() => undefined);
    await vi.advanceTimersByTimeAsync(at);
    await queue.attributes().catch(() => undefined);
    await vi.advanceTimersByTimeAsync(milliseconds - at);
    return [before, queue.isSilent()];
  }
  const answers = () => Promise.resolve({});
  const refuses = () => Promise.reject(new Error('AccessDenied'));

  test.each<[is: boolean, ...Parameters<typeof isSilentAfter>]>([
    [false, 4_999, answers],
    [true, 5_000, answers],
    [false, 6_000, answers, 6_000],
    [false, 15_000, answers, 6_000],
    [true, 15_000, refuses, 6_000],
  ])('%s', async (is, ...given) => {
    expect(await isSilentAfter(...given)).toEqual([false, is]);
  });

  test('not where a call was refused, or aborted', async () => {
    const refusing = queueOf(refuses);
    await expect(refusing.attributes()).rejects.toThrow('AccessDenied');
    const hanging = queueOf(hangs);
    const signal = AbortSignal.abort(new DOMException('the worker is stopping', 'AbortError'));
    await expect(hanging.receive({ ...request, signal })).rejects.toBe(signal.reason);
    expect([refusing.isSilent(), hanging.isSilent()]).toEqual([false, false]);
  });
});

test.each([
  [0, 0],
  [5_500, 0],
  [5_600, 100],
])('a poll of 5 s whose reply is read after %i ms was received %i ms before', (afterMs, agoMs) => {
  const receivedAt = startPoll(systemClock, 5);
  vi.advanceTimersByTime(afterMs);
  expect(receivedAt()).toBe(performance.now() - agoMs);
});

test.each([
  [0, 1_001, 2],
  [0, -1, 0],
  [0, Infinity, 43_199],
  [500, Infinity, 43_198],
  [43_300_000, 60_000, 0],
])('%i ms after its receive a message can be hidden for %d ms: %i s', (afterMs, milliseconds, seconds) => {
  const receivedAt = performance.now();
  vi.advanceTimersByTime(afterMs);
  expect(boundedVisibility(systemClock, receivedAt, milliseconds)).toBe(seconds);
});
