import { createHandleOnce, TerminalError } from 'handle-once';
import { onceEach, type OnceEachEvent, type OnceEachOptions } from 'handle-once/adapter';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { issuesOf } from '../support/issues-of.ts';

interface Message {
  readonly id: unknown;
  readonly body: unknown;
}
type Options = OnceEachOptions<Message, unknown, undefined, unknown>;

function bench(over: Partial<Options> = {}, work: (payload: unknown) => unknown = () => undefined) {
  const events: OnceEachEvent[] = [];
  const calls: string[] = [];
  const handler = vi.fn((payload: unknown) => work(payload));
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing', backoff: () => 0 });
  const handle = onceEach(
    {
      handleOnce,
      key: ({ id }) => id as string,
      body: ({ body }) => body,
      acknowledge: () => calls.push('acknowledge'),
      retryLater: (_, delayMs) => calls.push(`retry later ${delayMs}`),
      onFailed: { to: 'dead', send: () => calls.push('dead letter') },
      onEvent: (event) => {
        events.push(event);
      },
      ...over,
    },
    handler,
  );
  return { handle, handler, events, calls };
}

test('a signal is made only for a handler that looks at it', async () => {
  let made = 0;
  class Counted extends AbortController {
    constructor() {
      super();
      made += 1;
    }
  }
  vi.stubGlobal('AbortController', Counted);
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
  const broker = {
    key: (id: string) => id,
    body: () => '{}',
    acknowledge: () => 1,
    onFailed: 'keep',
  } as const;
  await onceEach({ handleOnce, ...broker }, (_, { message }) => message)('1');
  expect(made).toBe(0);
  await onceEach({ handleOnce, ...broker }, (_, { signal }) => signal.aborted)('2');
  expect(made).toBe(1);
});

test('a body function that throws has its message dead-lettered, and nothing of it is quoted', async () => {
  const { handle, handler, events } = bench({ body: ({ body }) => JSON.parse(String(body)) as unknown });
  await handle({ id: '1', body: '1' });
  expect(await handle({ id: '2', body: 'card=41111' })).toMatchObject({ action: 'dead-lettered' });
  expect(handler).toHaveBeenCalledTimes(1);
  expect(events).toMatchObject([
    { type: 'acknowledged', key: '1' },
    { type: 'dead-lettered', reason: 'invalid-key', error: { code: 'UNHASHABLE_PAYLOAD' } },
    { type: 'acknowledged' },
  ]);
  expect(JSON.stringify(events)).not.toContain('41111');
});

test.each<[string, Partial<Options>, RegExp]>([
  ['an async key function', { key: (() => Promise.resolve('1')) as never }, /^onceEach: key: .* a promise$/],
  [
    'a key function that returns a number',
    { key: (() => 5) as never },
    /^onceEach: key: must return a string, .* number$/,
  ],
  [
    'a body function that returns nothing',
    { body: () => undefined },
    /^onceEach: body: must return the content .* undefined$/,
  ],
  ['a body function that returns a function', { body: () => () => '1' }, /body: must return .* function$/],
  ['an async body function', { body: () => Promise.resolve('1') }, /body: .* a promise$/],
  [
    'an async fingerprint function',
    { fingerprint: () => Promise.resolve('1') },
    /^onceEach: fingerprint: .* a promise$/,
  ],
])('%s is at fault, and not the message: it is kept, and not dead-lettered', async (_, over, text) => {
  const { handle, handler, events, calls } = bench(over);
  await handle({ id: '1', body: '1' });
  expect(handler).not.toHaveBeenCalled();
  expect(calls).toEqual(['retry later 5000']);
  const error = { code: 'INVALID_OPTIONS', message: expect.stringMatching(text) as string };
  expect(events).toMatchObject([{ type: 'kept', reason: 'error', error }]);
});

describe.each(['key', 'body', 'fingerprint'])('a %s function that throws', (field) => {
  const broken = (given: { id: string } | string): string => {
    const text = typeof given === 'string' ? given : given.id;
    if (!text.startsWith('good')) throw new RangeError('no id');
    return text;
  };
  const good = { id: 'good', body: 'good' };
  const bad = { id: 'bad', body: 'bad' };
  const failing = () => bench({ parse: (body) => body, [field]: broken });

  test('and has never worked is at fault, and not the message: it is kept, and not dead-lettered', async () => {
    const { handle, handler, events, calls } = failing();
    for (let n = 0; n < 25; n += 1) await handle({ ...bad, id: `bad-${n}` });
    expect(handler).not.toHaveBeenCalled();
    expect(calls).toEqual(Array(25).fill('retry later 5000'));
    const message = expect.stringContaining(
      `onceEach: ${field}: threw (RangeError), and has not worked yet`,
    ) as string;
    const error = { code: 'INVALID_OPTIONS', message, cause: { message: 'no id' } };
    expect(events).toMatchObject(Array(25).fill({ type: 'kept', reason: 'error', error }));
  });

  test('and has worked for another message has its message dead-lettered', async () => {
    const { handle, calls } = failing();
    await handle(good);
    expect(await handle(bad)).toMatchObject({ action: 'dead-lettered' });
    expect(calls).toEqual(['acknowledge', 'dead letter', 'acknowledge']);
  });
});

test.each([undefined, null])('a key that is %j is no key, in events too', async (id) => {
  const { handle, events } = bench({ onFailed: 'keep' });
  await handle({ id, body: '1' });
  expect(events).toMatchObject([{ type: 'kept', key: '', reason: 'invalid-key' }]);
});

test('what failed for good says so in the event of its dead letter', async () => {
  const { handle, events, calls } = bench({}, () => {
    throw new TerminalError('no');
  });
  await handle({ id: '1', body: '1' });
  expect(calls).toEqual(['dead letter', 'acknowledge']);
  expect(events[0]).toMatchObject({ type: 'dead-lettered', to: 'dead', key: '1', reason: 'failed' });
});

test('a call of the broker that fails is told with the key, and the message is kept', async () => {
  const { handle, events } = bench({
    acknowledge: () => {
      throw new Error('gone');
    },
  });
  expect(await handle({ id: '1', body: '1' })).toMatchObject({ action: 'kept', reason: 'broker-error' });
  expect(events).toMatchObject([
    { type: 'broker-error', verb: 'acknowledge', key: '1', error: { message: 'gone' } },
    { type: 'kept', key: '1', reason: 'broker-error' },
  ]);
});

test('a message that has waited longer than its broker waits is not touched', async () => {
  const { handle, handler, events, calls } = bench({ ackWaitMs: 1_000 });
  const handled = await handle({ id: '1', body: '1' }, { receivedAt: Date.now() - 1_000 });
  expect(handled).toEqual({ action: 'kept', reason: 'lapsed' });
  expect([handler.mock.calls, calls]).toEqual([[], []]);
  expect(events).toMatchObject([{ type: 'kept', key: '', reason: 'lapsed' }]);
});

test('a handler that changes a plain body does not change the message', async () => {
  let tries = 0;
  const { handle, events } = bench({ retryLater: undefined }, (payload) => {
    (payload as { cents: number }).cents += 1;
    tries += 1;
    if (tries === 1) throw new Error('not now');
  });
  expect(await handle({ id: '1', body: { cents: 1 } })).toMatchObject({ action: 'acknowledged' });
  expect([tries, events.map(({ type }) => type)]).toEqual([2, ['acknowledged']]);
});

test('a body is read once for each delivery: one that can be read once loses nothing', async () => {
  const bodies = ['{"cents":1}'];
  const { handle, handler } = bench({ body: () => bodies.shift() });
  expect(await handle({ id: '1', body: '' })).toMatchObject({ action: 'acknowledged' });
  expect(handler).toHaveBeenCalledWith({ cents: 1 }, expect.anything());
});

test('a body that cannot be copied goes to the handler as it is', async () => {
  const { handle, handler } = bench({ fingerprint: () => 1 });
  const body = { read: () => 1 };
  expect(await handle({ id: '1', body })).toMatchObject({ action: 'acknowledged' });
  expect(handler.mock.calls[0]?.[0]).toBe(body);
});

test('a handler that changes what its own parse gave is tried again with the same content', async () => {
  let tries = 0;
  const { handle, handler } = bench({ retryLater: undefined, parse: (body) => body }, (payload) => {
    Object.assign(payload as object, { tries: (tries += 1) });
    if (tries === 1) throw new Error('not now');
  });
  expect(await handle({ id: '1', body: { cents: 1 } })).toMatchObject({ action: 'acknowledged' });
  expect(handler).toHaveBeenCalledTimes(2);
});

test('an extension that hangs does not cost a handled message its acknowledgement', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const { handle, calls } = bench(
    { ackWaitMs: 3_000, extend: () => new Promise(() => undefined) },
    () => new Promise((resolve) => setTimeout(resolve, 1_100)),
  );
  const handled = handle({ id: '1', body: '1' });
  await vi.advanceTimersByTimeAsync(2_500);
  expect(calls).toEqual(['acknowledge']);
  expect(await handled).toMatchObject({ action: 'acknowledged' });
});

test('a message that lapses while it waits here does not run again', async () => {
  const { handle, handler } = bench({ retryLater: undefined, ackWaitMs: 100, backoff: () => 200 }, () => {
    throw new Error('not now');
  });
  expect(await handle({ id: '1', body: '1' })).toMatchObject({ action: 'kept', reason: 'lapsed' });
  expect(handler).toHaveBeenCalledTimes(1);
});

test('options that contradict one another are named', () => {
  const options = { ...{ acknowledge: () => 1, key: () => '', body: () => '' }, onFailed: 'keep' };
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
  const made = (over: object) => () => onceEach({ ...options, handleOnce, ...over } as never, () => 1);
  expect(issuesOf(made({ extend: () => 1 }))).toMatchObject([{ field: 'ackWaitMs' }]);
  expect(issuesOf(made({ retryLater: () => 1, patienceMs: 1 }))).toMatchObject([{ field: 'patienceMs' }]);
  expect(issuesOf(made({ onFailed: 'drop' }))).toMatchObject([{ field: 'onFailed' }]);
  expect(issuesOf(made({ onFailed: { to: '', sent: () => 1 } }))).toMatchObject([
    { field: 'onFailed.to', message: 'must be the name of where dead letters go' },
    { field: 'onFailed.send' },
    { field: 'onFailed.sent', message: expect.stringContaining('not an option') as string },
  ]);
});

test('a body with a Buffer inside comes to parse as it is', async () => {
  const seen: unknown[] = [];
  const { handle } = bench({
    body: ({ body }) => ({ content: Buffer.from(String(body)) }),
    parse: (given: unknown) => {
      const { content } = given as { content: Buffer };
      seen.push(Buffer.isBuffer(content), String(content));
      return content;
    },
  });
  expect(await handle({ id: '1', body: 'text' })).toMatchObject({ action: 'acknowledged' });
  expect(seen).toEqual([true, 'text']);
});

test('a message that has waited for most of its time is extended before its handler runs', async () => {
  let extensions = 0;
  const extend = () => {
    extensions += 1;
    return true;
  };
  const seen: number[] = [];
  const { handle } = bench({ extend, ackWaitMs: 3_000 }, () => seen.push(extensions));
  await handle({ id: '1', body: '1' }, { receivedAt: Date.now() - 500 });
  await handle({ id: '2', body: '1' }, { receivedAt: Date.now() - 1_900 });
  expect(seen).toEqual([0, 1]);
});

test(
  'a signal that aborts while the store is silent returns the message at once',
  { timeout: 5_000 },
  async () => {
    const store = { ...createMemoryStore(), check: () => new Promise<void>(() => undefined) };
    const { handle, handler } = bench({ handleOnce: createHandleOnce({ store, scope: 's' }) });
    const stop = new AbortController();
    const handling = handle({ id: '1', body: '1' }, { signal: stop.signal });
    stop.abort();
    expect(await handling).toMatchObject({ action: 'kept', reason: 'aborted' });
    expect(handler).not.toHaveBeenCalled();
  },
);
