import postgres from 'postgres';
import { afterAll, describe, expect, it } from 'vitest';
import { createHandleOnce, type Outcome } from '../../src/index.ts';
import { usePostgresBench } from './support/bench.ts';
import { gate } from '../support/gate.ts';

const INSTANCES = 5;
const CALLERS_EACH = 10;

describe('fifty callers of one key at once, on five instances with connections of their own', () => {
  const { database } = usePostgresBench();
  const clients = Array.from({ length: INSTANCES }, () => postgres(database.url, { max: 2 }));

  afterAll(async () => {
    await Promise.all(clients.map((sql) => sql.end()));
  });

  function race(scope: string, fn: () => Promise<string>): Promise<Outcome<string>>[] {
    const instances = clients.map((sql) => createHandleOnce({ sql, scope }));
    return instances.flatMap((handleOnce) =>
      Array.from({ length: CALLERS_EACH }, () => handleOnce('key', 'body', fn)),
    );
  }

  it('run it once, while the others see it in flight', async () => {
    let runs = 0;
    const finish = gate();
    const calls = race('held', async () => {
      runs += 1;
      await finish.opened;
      return 'done';
    });
    let answered = 0;
    const allOthers = gate();
    for (const call of calls) {
      void call.then(() => {
        answered += 1;
        if (answered === calls.length - 1) allOthers.open();
      });
    }
    await allOthers.opened;
    finish.open();

    const outcomes = await Promise.all(calls);
    expect(runs).toBe(1);
    expect(outcomes.filter(({ state }) => state === 'succeeded')).toEqual([
      { state: 'succeeded', replayed: false, attempts: 1, result: 'done' },
    ]);
    const others = outcomes.filter(({ state }) => state !== 'succeeded');
    expect(others).toHaveLength(INSTANCES * CALLERS_EACH - 1);
    for (const other of others)
      expect(other).toMatchObject({ state: 'pending', reason: 'in-flight', attempts: 1 });
  });

  it('run it once when it ends at once too: in flight or replayed for the others, every time', async () => {
    for (let round = 1; round <= 20; round += 1) {
      let runs = 0;
      const outcomes = await Promise.all(
        race(`round-${round}`, () => {
          runs += 1;
          return Promise.resolve('done');
        }),
      );
      expect(runs).toBe(1);
      const fresh = outcomes.filter((outcome) => outcome.state === 'succeeded' && !outcome.replayed);
      expect(fresh).toHaveLength(1);
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject(
          outcome.state === 'succeeded'
            ? { attempts: 1, result: 'done' }
            : { state: 'pending', reason: 'in-flight', attempts: 1 },
        );
      }
    }
  });
});
