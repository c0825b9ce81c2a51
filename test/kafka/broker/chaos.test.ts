import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { kafkaBrokers } from '../../support/kafka.ts';
import { createChaosTables } from './support/chaos-tables.ts';
import { watchCommits } from './support/commit-watch.ts';
import { upTo, useFixture } from './support/fixture.ts';
import { until } from '../../support/until.ts';
import { startFleet } from './support/fleet.ts';
import { seeded } from './support/seeded.ts';

/** In six events two workers leave, three are killed, and four join. */
const SEED = 14;
const MESSAGES = 600;
const PARTITIONS = 4;
const KEYS = 40;
const MOST_WORKERS = 3;
/** Something happens to the group each time that this many more messages have had their effect. */
const EFFECTS_BETWEEN = 90;

const { databaseUrl, setup, sql } = useFixture();

beforeAll(() => createChaosTables(sql));

async function countEffects(): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::integer as count from effects`;
  return row?.count ?? 0;
}

test('consumers that join, leave and are killed at random: every effect once, and all committed', async () => {
  const group = await setup({ partitions: PARTITIONS });
  await group.produce(
    ...upTo(MESSAGES).map((n) => ({ key: `key-${n % KEYS}`, partition: n % PARTITIONS, value: String(n) })),
  );
  const random = seeded(SEED);
  const { topic, groupId, scope, handleOnce } = group;
  const fleet = startFleet({
    ...{ seed: SEED, brokers: kafkaBrokers(), databaseUrl, topic, groupId, scope: handleOnce.settings.scope },
    ...{ ordering: 'key', fromBeginning: true, sessionTimeoutMs: 2_000, leaseMs: 3_000 },
    ...{ failing: 0.03, handlerMs: [10, 50] },
  });
  onTestFinished(() => fleet.end());
  const commits = watchCommits({ sql, scope, topic, committed: () => group.committed() });
  const leaving: Promise<void>[] = [];
  fleet.join();
  fleet.join();

  for (let next = EFFECTS_BETWEEN; next < MESSAGES; next += EFFECTS_BETWEEN) {
    await until(async () => (await countEffects()) >= next);
    await commits.look();
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
  const effects = await sql<{ partition: number; offset: number; key: string }[]>`
    select partition, "offset", message_key as key from effects order by id`;
  expect(effects).toHaveLength(MESSAGES);
  expect(new Set(effects.map(({ partition, offset }) => `${partition}-${offset}`)).size).toBe(MESSAGES);
  for (const key of upTo(KEYS)) {
    const ofKey = effects.filter((effect) => effect.key === `key-${key}`).map(({ offset }) => offset);
    expect(ofKey, 'in order').toEqual(ofKey.toSorted((one, other) => one - other));
  }

  // A handler that has ended runs again only if its worker was killed before that was on record.
  const unexplained = await sql`
    select ended.partition, ended."offset" from runs as ended
    join runs as later on later.partition = ended.partition and later."offset" = ended."offset" and later.began_at > ended.ended_at
    where not ended.worker = any(${[...fleet.killed]})`;
  expect(unexplained).toEqual([]);
  await commits.look();
  expect(commits).toMatchObject({ passed: [], wentBack: [] });
  expect(await group.committed()).toEqual(Array<number>(PARTITIONS).fill(MESSAGES / PARTITIONS));
}, 60_000);
