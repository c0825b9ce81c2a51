import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createHandleOnce, type HandleOnceEvent } from '../../src/index.ts';
import { useDatabase } from '../support/database.ts';

const { sql } = useDatabase();
const context = new AsyncLocalStorage<string>();

const CALLS = 200;
const keys = Array.from({ length: CALLS }, (_, index) => `key-${index}`);

interface Seen {
  readonly key: string;
  readonly in: string | undefined;
}

/** A `handleOnce` that notes in which context its events are. */
function setup(options: object = {}) {
  const events: (Seen & { readonly type: HandleOnceEvent['type'] })[] = [];
  const handleOnce = createHandleOnce({
    sql,
    scope: randomUUID(),
    ...options,
    onEvent: (event) => {
      if ('key' in event) events.push({ type: event.type, key: event.key, in: context.getStore() });
    },
  });
  const elsewhere = () => events.filter((event) => event.in !== event.key);
  return { handleOnce, events, elsewhere };
}

/** Calls at one moment, each in a context of its own, whose statements are shared. */
function callAll<T>(call: (key: string) => Promise<T>): Promise<T[]> {
  return Promise.all(keys.map((key) => context.run(key, () => call(key))));
}

describe('Calls that share statements keep their own async contexts', () => {
  test('in handlers, events and what follows a call', async () => {
    const { handleOnce, events, elsewhere } = setup();
    const handled: Seen[] = [];
    const after = await callAll(async (key) => {
      await handleOnce(key, {}, async () => {
        handled.push({ key, in: context.getStore() });
        await new Promise(setImmediate);
        handled.push({ key, in: context.getStore() });
      });
      return context.getStore();
    });
    expect(handled.filter((one) => one.in !== one.key)).toEqual([]);
    expect(after).toEqual(keys);
    expect(events).toHaveLength(2 * CALLS);
    expect(elsewhere()).toEqual([]);
  });

  test('in duplicates, and where they fail', async () => {
    const { handleOnce, events, elsewhere } = setup();
    await callAll((key) => handleOnce(key, {}, () => 1));
    events.length = 0;
    await callAll((key) => handleOnce(key, {}, () => 1));
    const refused = await callAll((key) =>
      handleOnce(key, { other: true }, () => 1).catch(() => context.getStore()),
    );
    expect(refused).toEqual(keys);
    expect(events).toHaveLength(2 * CALLS);
    expect(elsewhere()).toEqual([]);
  });

  test('in a transaction', async () => {
    const { handleOnce, elsewhere } = setup();
    const within = await callAll(async (key) => {
      const outcome = await handleOnce.inTransaction(key, {}, async (_, __, tx) => {
        await tx`select 1`;
        return context.getStore();
      });
      return outcome.state === 'succeeded' ? outcome.result : undefined;
    });
    expect(within).toEqual(keys);
    expect(elsewhere()).toEqual([]);
  });

  test('where a signal aborts by a timer that many share', async () => {
    const { handleOnce, elsewhere } = setup();
    const aborted: Seen[] = [];
    await callAll((key) =>
      handleOnce(
        key,
        {},
        (_, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              aborted.push({ key, in: context.getStore() });
              resolve(undefined);
            });
          }),
        { timeoutMs: 50 },
      ),
    );
    expect(aborted).toHaveLength(CALLS);
    expect(aborted.filter((one) => one.in !== one.key)).toEqual([]);
    expect(elsewhere()).toEqual([]);
  });

  test('where a lease is lost', async () => {
    const { handleOnce, events, elsewhere } = setup({ leaseMs: 1_000 });
    const { scope } = handleOnce.settings;
    const few = keys.slice(0, 10);
    await Promise.all(
      few.map((key) =>
        context.run(key, () =>
          handleOnce(key, {}, async (_, { signal }) => {
            await sql`update handle_once.records set token = ${randomUUID()} where scope = ${scope} and key = ${key}`;
            await new Promise((resolve) => {
              signal.addEventListener('abort', resolve);
            });
          }),
        ),
      ),
    );
    expect(events.filter(({ type }) => type === 'lease-lost')).toHaveLength(few.length);
    expect(elsewhere()).toEqual([]);
  });
});
