import { describe, expect, it } from 'vitest';
import { type Attempt, InvalidKeyError, StoreError, TerminalError } from '../../src/index.ts';
import type { Store } from '../../src/store.ts';
import { memoryBench } from './support/bench.ts';

describe('an attempt', () => {
  const bench = memoryBench();

  it('knows its key, its scope and its number', async () => {
    const handleOnce = bench.handleOnce({ scope: 'billing', backoff: () => 0 });
    const seen: Pick<Attempt, 'key' | 'scope' | 'number'>[] = [];
    for (let delivery = 1; delivery <= 2; delivery += 1) {
      await handleOnce('m-1', 'body', (_, { key, scope, number }) => {
        seen.push({ key, scope, number });
        if (number === 1) throw new Error('again');
      });
    }
    expect(seen).toEqual([
      { key: 'm-1', scope: 'billing', number: 1 },
      { key: 'm-1', scope: 'billing', number: 2 },
    ]);
  });

  it('gives child keys that are the same on every attempt, and differ by name, key and scope', async () => {
    const keys: string[] = [];
    const collect = (_: unknown, attempt: Attempt) => {
      keys.push(attempt.childKey('charge'));
      if (attempt.number === 1) throw new Error('again');
      keys.push(attempt.childKey('mail'));
    };
    const one = bench.handleOnce({ scope: 'one', backoff: () => 0 });
    for (const delivery of ['first', 'second'] as const) {
      expect(await one('key', 'body', collect)).toHaveProperty('attempts', delivery === 'first' ? 1 : 2);
    }
    await one('other', 'body', collect);
    await bench.handleOnce({ scope: 'two' })('key', 'body', collect);

    const [charge, chargeAgain, mail, otherKey, otherScope] = keys;
    expect(chargeAgain).toBe(charge);
    expect(new Set([charge, mail, otherKey, otherScope])).toHaveProperty('size', 4);
  });

  it('refuses a child key without a usable name', async () => {
    let refusal: unknown;
    await bench.handleOnce()('key', 'body', (_, attempt) => {
      try {
        attempt.childKey('');
      } catch (error) {
        refusal = error;
      }
    });
    expect(refusal).toBeInstanceOf(InvalidKeyError);
    expect(String(refusal)).toContain('childKey name must not be empty');
  });
});

describe('the end of an attempt', () => {
  const bench = memoryBench();

  it.each([
    ['fails', new TerminalError('unspeakable'), 'failed'],
    ['is released', new Error('unspeakable'), 'pending'],
  ])('that %s is on record without an error whose text the store refuses', async (_, thrown, state) => {
    const refused = new StoreError('refused', { retriable: false, dataRefused: true });
    const settle: Store['settle'] = (requests, scope) =>
      JSON.stringify(requests).includes('unspeakable')
        ? Promise.reject(refused)
        : bench.store.settle(requests, scope);
    const handleOnce = bench.handleOnce({ store: { ...bench.store, settle } });
    const outcome = await handleOnce('key', state, () => Promise.reject(thrown));
    expect(outcome).toMatchObject({ state, error: { message: 'unspeakable' } });
    const message = 'the database refused the text of this error';
    expect(await handleOnce('key', state, () => 'not run')).toMatchObject({ state, error: { message } });
  });

  it('that was lost is looked at again when the lease of whoever has it can be over', async () => {
    const settle: Store['settle'] = (requests) => Promise.resolve(requests.map(() => 'lost'));
    const handleOnce = bench.handleOnce({ store: { ...bench.store, settle }, leaseMs: 5_000 });
    expect(await handleOnce('key', 'body', () => 1)).toEqual({
      ...{ state: 'pending', reason: 'lease-lost', attempts: 1, retryAfterMs: 5_000 },
    });
  });
});
