import { describe, expect, it, vi } from 'vitest';
import { type HandleOnce, RetryableError, TerminalError, UnhashablePayloadError } from '../../src/index.ts';
import { hostile, hostileProxy, revokedProxy, withGetters } from '../support/hostile.ts';
import { usePostgresBench } from './support/bench.ts';
import { expectSoon } from '../support/until.ts';

const THROWN: [name: string, make: () => unknown][] = [
  ...hostile,
  ['an error whose getters throw', () => withGetters(new Error('x'), 'name', 'message', 'code', 'cause')],
  ['a Proxy of an error', () => hostileProxy(new Error('x'))],
  ['an error whose cause is hostile', () => new Error('x', { cause: revokedProxy() })],
  ['an error whose message is no text', () => Object.assign(new Error('x'), { message: hostileProxy() })],
  ['a RetryableError whose wait throws', () => withGetters(new RetryableError('x'), 'retryAfterMs')],
  ['a RetryableError whose wait is hostile', () => new RetryableError('x', { retryAfterMs: {} as number })],
];

const RETURNED: [name: string, make: () => unknown][] = [
  ...hostile,
  ['a thenable that throws', () => ({ then: () => Object.keys(hostileProxy()) })],
  [
    'a thenable that rejects with a hostile value',
    () => ({
      then: (_: unknown, no: (e: unknown) => void) => {
        no(revokedProxy());
      },
    }),
  ],
  ['a value whose `then` throws the second time', () => throwingAfter(1)],
  ['a value whose `then` throws the third time', () => throwingAfter(2)],
  ['a toJSON that returns a hostile value', () => ({ toJSON: revokedProxy })],
  ['a hostile value deep inside', () => ({ a: [revokedProxy()] })],
];

/** Its `then` is undefined for the first reads, and throws after them. */
function throwingAfter(looks: number): object {
  let left = looks;
  return Object.defineProperty({}, 'then', {
    get() {
      left -= 1;
      if (left < 0) throw revokedProxy() as Error;
      return undefined;
    },
  });
}

function throwing(make: () => unknown): () => never {
  return () => {
    throw make() as Error;
  };
}

/** The ways to run a handler, and whether they do without a claim that is still held. */
describe('On Postgres, no claim is left held', () => {
  const bench = usePostgresBench();
  const ways: [name: string, call: (handleOnce: HandleOnce, fn: () => unknown) => Promise<unknown>][] = [
    ['handleOnce', (handleOnce, fn) => handleOnce('key', 'body', fn)],
    ['inTransaction', (handleOnce, fn) => handleOnce.inTransaction('key', 'body', fn)],
  ];

  describe.each(ways)('by %s', (_, call) => {
    async function end(fn: () => unknown, maxAttempts: number) {
      const handleOnce = bench.handleOnce({ maxAttempts, store: undefined, sql: bench.database.sql });
      const outcome = await call(handleOnce, fn);
      return { outcome, record: await bench.record(handleOnce.settings.scope, 'key') };
    }

    it.each(THROWN)('when a handler throws %s', async (__, make) => {
      expect(await end(throwing(make), 2)).toMatchObject({
        outcome: { state: 'pending', reason: 'released' },
        record: { state: 'pending', owned: false, attempts: 1 },
      });
      expect(await end(throwing(make), 1)).toMatchObject({
        outcome: { state: 'failed', reason: 'attempts-exhausted' },
        record: { state: 'failed', owned: false },
      });
    });

    it.each(RETURNED)('when a handler returns %s', async (__, make) => {
      const { outcome, record } = await end(make, 2);
      expect(outcome).toMatchObject({ state: expect.stringMatching(/succeeded|pending/) as string });
      expect(record).toMatchObject({ owned: false, state: (outcome as { state: string }).state });
    });
  });
});

describe('over the Postgres store', () => {
  const bench = usePostgresBench();

  it('a TerminalError is one, whatever else of it throws', async () => {
    const thrown = throwing(() => withGetters(new TerminalError('no'), 'name', 'message', 'code', 'cause'));
    const outcome = await bench.handleOnce()('key', 'body', thrown);
    expect(outcome).toMatchObject({ state: 'failed', reason: 'terminal' });
  });

  it.each([...hostile, ['a list of a hostile value', () => [hostileProxy()]]] as const)(
    'a payload that is %s is refused with a typed error before anything runs',
    async (_, make) => {
      const handleOnce = bench.handleOnce();
      const handler = vi.fn();
      await expect(handleOnce('key', make(), handler)).rejects.toBeInstanceOf(UnhashablePayloadError);
      expect(handler).not.toHaveBeenCalled();
      expect(handleOnce.counts()).toEqual({});
    },
  );

  it.each(hostile)('what parse, the schema, backoff and onEvent throw may be %s', async (_, make) => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const thrower = throwing(make);
    const handleOnce = bench.handleOnce({ backoff: thrower, onEvent: thrower });
    const schema = { '~standard': { version: 1, vendor: 'test', validate: thrower } } as const;
    const parsed = await handleOnce('parse', 'body', vi.fn(), { parse: thrower });
    expect(parsed).toMatchObject({ state: 'failed', reason: 'invalid-payload' });
    const validated = await handleOnce('schema', 'body', vi.fn(), { schema });
    expect(validated).toMatchObject({ state: 'pending', reason: 'released' });
    await expectSoon(() => {
      expect(warning).toHaveBeenCalledWith(expect.stringContaining('onEvent failed'), {
        type: 'HandleOnceWarning',
        code: 'ON_EVENT_FAILED',
      });
    });
    warning.mockRestore();
  });

  it.each(hostile)('the reason of an aborted signal may be %s', async (_, make) => {
    const aborted = bench.handleOnce()('key', 'body', vi.fn(), { signal: AbortSignal.abort(make()) });
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    const stop = new AbortController();
    const interrupted = await bench.handleOnce()(
      'key',
      'body',
      (__, { signal }) => {
        stop.abort(make());
        signal.throwIfAborted();
      },
      { signal: stop.signal },
    );
    expect(interrupted).toMatchObject({ state: 'pending', reason: 'released', attempts: 0 });
  });
});
