import { beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { type CrashPoint, runWorker, type WorkerOrder } from './core-worker-process.ts';

interface Traces {
  readonly record: { state: string; attempts: number } | undefined;
  readonly runs: number;
  readonly effects: number;
}

describe.concurrent('a worker that is killed', () => {
  const { sql, url } = useDatabase();

  beforeAll(async () => {
    await sql`create table runs (message text, attempt integer)`;
    await sql`create table effects (message text, effect_key text unique)`;
  });

  function work(key: string, order: Partial<WorkerOrder>) {
    return runWorker({ url, key, dieAt: null, keyedEffect: false, maxDeaths: 10, ...order });
  }

  async function tracesOf(key: string): Promise<Traces> {
    const [record] = await sql<NonNullable<Traces['record']>[]>`
      select state, attempts from handle_once.records where key = ${key}`;
    const [counts] = await sql<{ runs: number; effects: number }[]>`
      select (select count(*)::int from runs where message = ${key}) as runs,
        (select count(*)::int from effects where message = ${key}) as effects`;
    return { record, runs: counts?.runs ?? -1, effects: counts?.effects ?? -1 };
  }

  async function letLeaseLapse(key: string): Promise<void> {
    await sql`
      update handle_once.records set live_until = statement_timestamp() where key = ${key} and owned`;
  }

  const pending = { state: 'pending', attempts: 1 };
  const succeeded = (attempts: number) => ({ state: 'succeeded', attempts });

  it.each<[CrashPoint, boolean, string, Traces, Traces]>([
    [
      'before-claim',
      false,
      'nothing has happened, and the next worker does it all',
      { record: undefined, runs: 0, effects: 0 },
      { record: succeeded(1), runs: 1, effects: 1 },
    ],
    [
      'after-claim',
      false,
      'the attempt counts, and the next worker does it all',
      { record: pending, runs: 0, effects: 0 },
      { record: succeeded(2), runs: 1, effects: 1 },
    ],
    [
      'in-handler',
      false,
      'the handler runs again',
      { record: pending, runs: 1, effects: 0 },
      { record: succeeded(2), runs: 2, effects: 1 },
    ],
    [
      'after-effect',
      false,
      'the handler runs again, and an effect that carries no key happens twice',
      { record: pending, runs: 1, effects: 1 },
      { record: succeeded(2), runs: 2, effects: 2 },
    ],
    [
      'after-effect',
      true,
      'the handler runs again, and an effect that carries its child key happens once',
      { record: pending, runs: 1, effects: 1 },
      { record: succeeded(2), runs: 2, effects: 1 },
    ],
    [
      'after-settle',
      false,
      'all is done, and the next worker only answers',
      { record: succeeded(1), runs: 1, effects: 1 },
      { record: succeeded(1), runs: 1, effects: 1 },
    ],
  ])('%s (keyed effect: %s): %s', async (dieAt, keyedEffect, _, atDeath, atEnd) => {
    const key = `${dieAt} ${keyedEffect}`;
    expect(await work(key, { dieAt, keyedEffect })).toBe('SIGKILL');
    expect(await tracesOf(key)).toEqual(atDeath);

    await letLeaseLapse(key);
    expect(await work(key, { keyedEffect })).toEqual({
      ...atEnd.record,
      replayed: dieAt === 'after-settle',
      result: 'done',
    });
    expect(await tracesOf(key)).toEqual(atEnd);
  });

  it('leaves its message to no other before its lease has lapsed', async () => {
    const key = 'still leased';
    await work(key, { dieAt: 'in-handler' });
    expect(await work(key, {})).toMatchObject({ state: 'pending', reason: 'in-flight', attempts: 1 });
    expect(await tracesOf(key)).toEqual({ record: pending, runs: 1, effects: 0 });
  });

  it.each<CrashPoint>(['after-claim', 'in-handler'])(
    '%s every time costs its message all deaths, and then it has failed without running again',
    async (dieAt) => {
      const key = `poison ${dieAt}`;
      const maxDeaths = 2;
      for (let attempt = 1; attempt <= maxDeaths; attempt += 1) {
        expect(await work(key, { dieAt, maxDeaths })).toBe('SIGKILL');
        expect((await tracesOf(key)).record).toEqual({ state: 'pending', attempts: attempt });
        await letLeaseLapse(key);
      }
      const { runs, effects } = await tracesOf(key);

      const failed = { state: 'failed', reason: 'deaths-exhausted', attempts: 2 };
      const error = { name: 'DeathsExhaustedError' };
      expect(await work(key, { maxDeaths })).toMatchObject({ ...failed, error, replayed: false });
      expect(await work(key, { maxDeaths })).toMatchObject({ ...failed, error, replayed: true });
      expect(await tracesOf(key)).toEqual({ record: { state: 'failed', attempts: 2 }, runs, effects });
      expect(runs).toBe(dieAt === 'after-claim' ? 0 : maxDeaths);
    },
  );
});
