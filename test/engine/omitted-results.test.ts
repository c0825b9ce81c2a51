import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { flakyStore, refusesData } from './support/flaky-store.ts';
import { usePostgresBench } from './support/bench.ts';

const cycle: { self?: unknown } = {};
cycle.self = cycle;

/** The effect has happened when the handler returned: whatever it returned, the message is done. */
describe('a result that cannot be kept', () => {
  const bench = usePostgresBench();

  it.each([
    ['a BigInt', 10n],
    ['a BigInt deep inside', { balance: { cents: 10n } }],
    ['a cycle', cycle],
    ['a Map', new Map([['a', 1]])],
    ['a Set deep inside', { balances: [{}, new Set([1])] }],
    ['an Error', new Error('of a provider')],
    ['an Error with a code deep inside', [{ error: Object.assign(new Error('declined'), { code: 'E' }) }]],
    ['a Map with a member', Object.assign(new Map([['a', 1]]), { name: 'balances' })],
    ['a toJSON that gives an Error with a code', { toJSON: () => Object.assign(new Error(), { code: 'E' }) }],
    ['a boxed symbol', { kind: Object(Symbol('kind')) as unknown }],
    ['a symbol', Symbol('result')],
    ['a toJSON that gives nothing', { toJSON: () => undefined }],
    [
      'a toJSON that throws',
      {
        toJSON() {
          throw new Error('no JSON');
        },
      },
    ],
    [
      'a getter that throws',
      {
        get charge(): string {
          throw new Error('no charge');
        },
      },
    ],
  ])('succeeds with %s, which only the first run has', async (_, value) => {
    const handleOnce = bench.handleOnce();
    const handler = vi.fn(() => value as unknown);

    const first = await handleOnce('key', 'body', handler);
    expect(first).toMatchObject({ state: 'succeeded', replayed: false, resultOmitted: 'not-serializable' });
    expect(first.state === 'succeeded' && first.result).toBe(value);

    expect(await handleOnce('key', 'body', handler)).toStrictEqual({
      state: 'succeeded',
      replayed: true,
      attempts: 1,
      result: undefined,
      resultOmitted: 'not-serializable',
    });
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it.each([
    [
      'empty objects, also of another realm',
      [{}, Object.create(null), runInNewContext('({})')],
      [{}, {}, {}],
    ],
    [
      'instances with members',
      new (class Order {
        id = 'a';
        meta = {};
      })(),
      { id: 'a', meta: {} },
    ],
    ['dates and boxed values', [{}, new Date(0), new Number(1)], [{}, '1970-01-01T00:00:00.000Z', 1]],
    [
      'an Error with a toJSON',
      Object.assign(new Error('a'), { toJSON: () => ({ text: 'a' }) }),
      { text: 'a' },
    ],
    ['a text of braces', 'a {}', 'a {}'],
    ['null', { a: null }, { a: null }],
  ])('keeps %s as JSON does', async (_, value: unknown, kept) => {
    const handleOnce = bench.handleOnce();
    expect(await handleOnce('key', 'body', () => value)).not.toHaveProperty('resultOmitted');
    expect(await handleOnce('key', 'body', () => value)).toMatchObject({ replayed: true, result: kept });
  });

  it('omits a result of more bytes of JSON than maxResultBytes, and keeps one of as many', async () => {
    const handleOnce = bench.handleOnce({ maxResultBytes: 6 });
    const fits = await handleOnce('fits', 'body', () => 'éé');
    const over = await handleOnce('over', 'body', () => 'ééa');
    expect(fits).not.toHaveProperty('resultOmitted');
    expect(over).toMatchObject({ state: 'succeeded', result: 'ééa', resultOmitted: 'too-large' });
    expect(await handleOnce('over', 'body', () => 'ran again')).toMatchObject({
      replayed: true,
      result: undefined,
      resultOmitted: 'too-large',
    });
  });

  it('stores no result at all with storeResult: false', async () => {
    const handleOnce = bench.handleOnce({ storeResult: false });
    const handler = vi.fn(() => 'secret');
    expect(await handleOnce('key', 'body', handler)).toMatchObject({
      result: 'secret',
      resultOmitted: 'not-stored',
    });
    expect(await handleOnce('key', 'body', handler)).toMatchObject({
      replayed: true,
      result: undefined,
      resultOmitted: 'not-stored',
    });
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it('succeeds without the result when the database refuses its text', async () => {
    const store = flakyStore(bench.store, { settle: [refusesData] });
    const handleOnce = bench.handleOnce({ store });
    const handler = vi.fn(() => 'text');
    expect(await handleOnce('key', 'body', handler)).toMatchObject({
      state: 'succeeded',
      result: 'text',
      resultOmitted: 'refused-by-store',
    });
    expect(await handleOnce('key', 'body', handler)).toMatchObject({
      replayed: true,
      resultOmitted: 'refused-by-store',
    });
    expect(handler).toHaveBeenCalledTimes(1);
  });
});
