import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { kafkaBrokers } from '../../support/kafka.ts';
import type { ChaosSettings } from './support/chaos-settings.ts';
import { type Setup, until, upTo, useFixture } from './support/fixture.ts';
import { seeded } from './support/seeded.ts';

const MESSAGES = 1_000;
const PARTITIONS = 4;
const KEYS = 40;
const MOST_WORKERS = 3;
/** Something happens to the group each time that this many more messages have had their effect. */
const EFFECTS_BETWEEN = 90;

const { databaseUrl, setup, sql } = useFixture();

beforeAll(async () => {
  await sql`create table runs (id serial, message text, worker integer, ended boolean default false)`;
  await sql`create table effects (id serial, message text, effect_key text unique)`;
});

/** Consumers in processes of their own. */
function startFleet({ topic, groupId, handleOnce }: Setup) {
  const program = fileURLToPath(new URL('support/chaos-worker.ts', import.meta.url));
  const alive = new Map<number, ChildProcess>();
  const killed: number[] = [];
  const failures: string[] = [];
  let started = 0;

  async function end(worker: number, signal: NodeJS.Signals): Promise<void> {
    const child = alive.get(worker);
    alive.delete(worker);
    if (child?.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  onTestFinished(async () => {
    await Promise.all([...alive.keys()].map((worker) => end(worker, 'SIGKILL')));
  });

  return {
    failures,
    killed,
    alive: () => [...alive.keys()],
    join() {
      started += 1;
      const settings: ChaosSettings = {
        ...{ worker: started, brokers: kafkaBrokers(), databaseUrl, topic, groupId },
        scope: handleOnce.settings.scope,
      };
      const quiet = '--disable-warning=HandleOnceWarning';
      const child = spawn(process.execPath, [quiet, '--import', 'tsx', program, JSON.stringify(settings)], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      child.stderr.on('data', (chunk: Buffer) => failures.push(chunk.toString()));
      alive.set(started, child);
    },
    leave: (worker: number) => end(worker, 'SIGTERM'),
    kill(worker: number) {
      killed.push(worker);
      return end(worker, 'SIGKILL');
    },
  };
}

async function countEffects(): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::integer as count from effects`;
  return row?.count ?? 0;
}

test('consumers that join, leave and are killed at random: every effect once, and all committed', async () => {
  const group = await setup({ partitions: PARTITIONS });
  await group.produce(
    ...upTo(MESSAGES).map((n) => ({ key: `key-${n % KEYS}`, partition: n % PARTITIONS, value: String(n) })),
  );
  const random = seeded(11);
  const fleet = startFleet(group);
  const leaving: Promise<void>[] = [];
  fleet.join();
  fleet.join();

  for (let next = EFFECTS_BETWEEN; next < MESSAGES; next += EFFECTS_BETWEEN) {
    await until(async () => (await countEffects()) >= next);
    const alive = fleet.alive();
    const one = alive[Math.floor(random() * alive.length)] ?? 0;
    const what = random();
    if (what < 0.4) await fleet.kill(one);
    else if (what < 0.6) leaving.push(fleet.leave(one));
    if (what >= 0.6 || fleet.alive().length === 0) {
      if (fleet.alive().length < MOST_WORKERS) fleet.join();
    }
  }
  await group.caughtUp();
  await Promise.all(leaving);

  expect(fleet.killed.length).toBeGreaterThan(2);
  expect(fleet.failures).toEqual([]);
  expect(await group.records()).toHaveLength(MESSAGES);
  expect((await group.records()).filter(({ state }) => state !== 'succeeded')).toEqual([]);

  // An effect under its child key happens once, however often its handler runs.
  const effects = await sql<{ message: string }[]>`select message from effects order by id`;
  expect(effects).toHaveLength(MESSAGES);
  expect(new Set(effects.map(({ message }) => message)).size).toBe(MESSAGES);
  for (const key of upTo(KEYS)) {
    const ofKey = effects.map(({ message }) => Number(message)).filter((n) => n % KEYS === key);
    expect(ofKey, 'in order').toEqual(ofKey.toSorted((one, other) => one - other));
  }

  // A handler that has ended runs again only if its worker was killed before that was on record.
  const unexplained = await sql`
    select ended.message from runs as ended join runs as later on later.message = ended.message and later.id > ended.id
    where ended.ended and not ended.worker = any(${fleet.killed})`;
  expect(unexplained).toEqual([]);
  expect(await group.committed()).toEqual(Array<number>(PARTITIONS).fill(MESSAGES / PARTITIONS));
}, 60_000);
