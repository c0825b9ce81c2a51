import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHandleOnce, StoreError, TerminalError } from '../../src/index.ts';
import { createEventSink } from '../../src/reporting/event-sink.ts';
import { createMemoryStore } from '../../testing/index.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const emitWarning = vi.spyOn(process, 'emitWarning');

/** What was printed since the last call, each with its code. */
function printed(): string[] {
  const lines = emitWarning.mock.calls.map(([text, options]) => {
    const { code } = options as unknown as { code: string };
    return `[${code}] ${String(text)}`;
  });
  emitWarning.mockClear();
  return lines;
}

beforeEach(() => {
  emitWarning.mockReset().mockImplementation(() => undefined);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function create() {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
  let keys = 0;
  return async (count: number, error: () => unknown): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      keys += 1;
      await handleOnce(`order-${keys}`, 'body', () => {
        throw error();
      });
    }
  };
}

describe('failures for good', () => {
  const terminal = () => new TerminalError('never');

  it('are printed ten a minute, and the rest as one line at its end', async () => {
    const fail = create();
    await fail(1_000, terminal);
    expect(printed()).toHaveLength(10);
    vi.advanceTimersByTime(MINUTE_MS);
    expect(printed()).toEqual([
      expect.stringMatching(
        /^\[FAILED\] 990 more within 1 min were not printed; the last: .*key order-1000,/,
      ),
    ]);
  });

  it('that go on are printed at once again in each minute', async () => {
    const fail = create();
    await fail(11, terminal);
    vi.advanceTimersByTime(MINUTE_MS);
    printed();
    await fail(20, terminal);
    expect(printed()).toHaveLength(10);
    vi.advanceTimersByTime(MINUTE_MS);
    expect(printed()).toEqual([expect.stringContaining('10 more within 1 min')]);
    vi.advanceTimersByTime(MINUTE_MS);
    expect([printed(), vi.getTimerCount()]).toEqual([[], 0]);
  });
});

describe('releases', () => {
  const again = (fields: object) => () => Object.assign(new Error('again'), fields);

  it('are printed once a minute for each error: by its name, its code and its text', async () => {
    const fail = create();
    for (let n = 0; n < 2; n += 1) {
      await fail(1, again({ name: 'FetchError' }));
      await fail(1, again({ name: 'FetchError', code: 'ECONNREFUSED' }));
      await fail(1, again({ name: 'FetchError', message: 'other' }));
      await fail(1, again({ name: 'TypeError' }));
    }
    expect(printed()).toEqual([
      expect.stringMatching(/^\[RELEASED\] .*: FetchError: again$/),
      expect.stringMatching(/^\[RELEASED\] .*: FetchError \(ECONNREFUSED\): again$/),
      expect.stringMatching(/^\[RELEASED\] .*: FetchError: other$/),
      expect.stringMatching(/^\[RELEASED\] .*: TypeError: again$/),
    ]);
    vi.advanceTimersByTime(MINUTE_MS);
    expect(printed()).toEqual([expect.stringMatching(/^\[RELEASED\] 4 more within 1 min .*TypeError/)]);
    await fail(1, again({ name: 'FetchError' }));
    expect(printed()).toHaveLength(1);
  });

  it('with texts without end are printed for ten of them', async () => {
    const fail = create();
    for (let n = 0; n < 200; n += 1) await fail(1, again({ message: `order ${n}` }));
    expect(printed()).toHaveLength(10);
    vi.advanceTimersByTime(MINUTE_MS);
    expect(printed()).toEqual([expect.stringContaining('190 more within 1 min')]);
  });

  it('of a message that its caller interrupted are not printed', async () => {
    const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
    const caller = new AbortController();
    const handler = () => {
      caller.abort();
      throw new Error('stopped');
    };
    await handleOnce('key', 'body', handler, { signal: caller.signal });
    expect(printed()).toEqual([]);
  });
});

it('two causes of one code are two lines, where its events share a cause', async () => {
  const causes = ['no route', 'no right', 'no route'];
  const check = () => Promise.reject(new StoreError(causes.shift() ?? '', { retriable: false }));
  const handleOnce = createHandleOnce({ store: { ...createMemoryStore(), check }, scope: 'billing' });
  for (const _ of [...causes]) await expect(handleOnce.checkStore()).rejects.toThrow(StoreError);
  expect(printed()).toEqual([expect.stringMatching(/: no route$/), expect.stringMatching(/: no right$/)]);
});

it('events without an error are one line a minute, where theirs have one cause', () => {
  const { emit } = createEventSink<{ readonly type: string; readonly scope: string; readonly key: string }>(
    {},
    'core',
  );
  for (const key of ['a', 'b']) emit({ type: 'suspect', scope: 'billing', key });
  expect(printed()).toEqual([expect.stringMatching(/^\[SUSPECT\] .*key a/)]);
});

it('the last that was not printed is in the words of its own event', () => {
  const { emit } = createEventSink<{ readonly type: string; readonly reason?: string }>({});
  for (let n = 0; n < 10; n += 1) emit({ type: 'kept', reason: 'lapsed' });
  emit({ type: 'visibility-lost' });
  printed();
  vi.advanceTimersByTime(MINUTE_MS);
  expect(printed()).toEqual([expect.stringMatching(/^\[VISIBILITY_LOST\] 1 more .*: the queue refused/)]);
});

it('a line has no control character, and no more than 200 characters of a message', async () => {
  await create()(1, () => new TerminalError(`a\n\u001b[31mb${'x'.repeat(2_000)}`));
  const [line = ''] = printed();
  expect(line).toMatch(/: TerminalError: a \[31mbx+…$/);
  expect(line.length).toBeLessThan(400);
});

it('a line has all of an error of ours, up to 1,000 characters: the fix comes last', async () => {
  const store = createMemoryStore();
  const refusing = (message: string) =>
    createHandleOnce({
      store: { ...store, check: () => Promise.reject(new StoreError(message, { retriable: false })) },
      scope: 'billing',
    });
  const fix = 'run as the owner of the tables: grant select on "lost".records to ROLE;';
  await expect(refusing(`${'x'.repeat(500)} ${fix}`).checkStore()).rejects.toThrow(StoreError);
  await expect(refusing('x'.repeat(2_000)).checkStore()).rejects.toThrow(StoreError);
  const [line = '', long = ''] = printed();
  expect(line).toMatch(/to ROLE;$/);
  expect(long).toMatch(/x{999}…$/);
});

it('a line has marks that turn the direction of text as escapes', async () => {
  await create()(1, () => new TerminalError('a\u202eb\u2028'));
  expect(printed()[0]).toMatch(/: TerminalError: a\\u202eb\\u2028$/);
});

it('what goes well prints nothing, and sets no timer', async () => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
  await handleOnce('key', 'body', () => 1);
  await handleOnce('key', 'body', () => 1);
  vi.advanceTimersByTime(HOUR_MS);
  expect([printed(), vi.getTimerCount()]).toEqual([[], 0]);
});
