import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin, Kafka } from 'kafkajs';
import postgres from 'postgres';
import { createHandleOnce } from '../../src/index.ts';
import type { ChaosSettings } from '../../test/kafka/broker/support/chaos-settings.ts';
import { createChaosTables } from '../../test/kafka/broker/support/chaos-tables.ts';
import { type CommitWatch, watchCommits } from '../../test/kafka/broker/support/commit-watch.ts';
import { type Fleet, startFleet } from '../../test/kafka/broker/support/fleet.ts';
import { seeded } from '../../test/kafka/broker/support/seeded.ts';
import { createDatabase, databaseUrl, templateDatabase } from '../../test/support/databases.ts';
import { createKafkaClient } from '../../test/support/kafka-client.ts';
import { committedOffsets, endOffsets, type Offsets } from '../../test/support/kafka-offsets.ts';
import type { Check, Report } from '../report.ts';
import { until } from '../until.ts';
import { type Load, startLoad } from './load.ts';
import { verify } from './verify.ts';

/** What a scenario is given. */
export interface Chaos {
  /** A PostgreSQL server with a migrated database to copy. */
  readonly postgresUrl: string;
  readonly databasePrefix: string;
  readonly seed: number;
  /** For a look, not for the record. */
  readonly quick: boolean;
}

type Behaviour = 'ordering' | 'fromBeginning' | 'sessionTimeoutMs' | 'leaseMs' | 'failing' | 'handlerMs';

export interface StormOptions extends Pick<ChaosSettings, Behaviour> {
  readonly name: string;
  readonly brokers: readonly string[];
  readonly partitions: number;
  readonly keys: number;
  /** Messages. */
  readonly perSecond: number;
  /** While brokers are away a consumer of kafkajs crashes, and starts again by itself. */
  readonly mayCrash: boolean;
}

/** A group of consumers in processes of their own, under load. */
export interface Storm {
  readonly options: StormOptions;
  readonly random: () => number;
  readonly fleet: Fleet;
  readonly commits: CommitWatch;
  readonly sql: postgres.Sql;
  readonly kafka: Kafka;
  readonly admin: Admin;
  readonly topic: string;
  readonly groupId: string;
  /** Of the group's records. */
  readonly scope: string;
  readonly committed: () => Promise<Offsets>;
  /** Tells what happens. */
  readonly log: (what: string) => void;
  startLoad(): Promise<void>;
  /** Waits until so many more messages have had their effect. */
  progress(count: number): Promise<void>;
}

/** Runs a storm to its end, and checks what it has left. `storms` may return rules of its own. */
export async function runStorm(
  chaos: Chaos,
  options: StormOptions,
  storms: (storm: Storm) => Promise<{ readonly steps: number; readonly checks?: readonly Check[] }>,
): Promise<Report> {
  const startedAt = performance.now();
  const { storm, endLoad, close } = await openStorm(chaos, options);
  storm.log('begins');
  const watching = watch(storm);
  const ended = { steps: 0, violations: [] as string[], checks: [] as readonly Check[] };
  try {
    try {
      Object.assign(ended, await storms(storm));
      await endLoad();
      await calm(storm);
    } catch (error) {
      ended.violations.push(String(error));
    }
    await watching.end();
    const { figures, checks } = await verify(storm);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const end = { rule: 'the storm comes to its end, and the group catches up', looked: 1, ...ended };
    return {
      storm: `${options.name} (seed ${chaos.seed})`,
      figures: { steps: ended.steps, ...figures, seconds },
      checks: [end, ...ended.checks, ...checks],
    };
  } finally {
    await watching.end();
    await endLoad();
    await close();
  }
}

/** Waits until all that was produced is committed, and lets all workers leave. */
async function calm({ fleet, admin, topic, committed, commits, log }: Storm): Promise<void> {
  if (fleet.alive().length === 0) fleet.join();
  log('calms down');
  await until('the group has committed all', async () => {
    const ends = await endOffsets(admin, topic);
    const now = await committed();
    return ends.every((end, partition) => (now[partition] ?? -1) >= end);
  });
  await Promise.all(fleet.alive().map((worker) => fleet.leave(worker)));
  await commits.look();
}

const LOOK_EVERY_MS = 250;

/** Looks at commits all the time, also between steps. */
function watch({ commits }: Storm): { end: () => Promise<void> } {
  let isRunning = true;
  async function run(): Promise<void> {
    while (isRunning) {
      // The broker can be away.
      await commits.look().catch(() => undefined);
      await sleep(LOOK_EVERY_MS);
    }
  }
  const running = run();
  return {
    async end() {
      isRunning = false;
      await running;
    },
  };
}

interface OpenStorm {
  readonly storm: Storm;
  readonly endLoad: () => Promise<void>;
  readonly close: () => Promise<void>;
}

async function openStorm(chaos: Chaos, options: StormOptions): Promise<OpenStorm> {
  const { name, brokers, partitions, ...settings } = options;
  const id = `chaos-${randomBytes(6).toString('hex')}`;
  const [topic, groupId] = [id, `${id}-group`];
  const { url, sql } = await openDatabase(chaos);
  const kafka = createKafkaClient([...brokers]);
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: partitions }] });
  const { scope } = createHandleOnce({ sql, scope: id }).inScope({ kind: 'kafka', name: groupId }).settings;
  const committed = () => committedOffsets(admin, groupId, topic);
  const fleet = startFleet({
    ...settings,
    ...{ brokers, topic, groupId, scope: id, seed: chaos.seed, databaseUrl: url },
  });
  let load: Load | undefined;
  const storm: Storm = {
    ...{ options, fleet, sql, kafka, admin, topic, groupId, scope, committed },
    random: seeded(chaos.seed),
    commits: watchCommits({ sql, scope, topic, committed }),
    log: (what) => {
      console.log(`${new Date().toISOString().slice(11, 19)} ${name}: ${what}`);
    },
    async startLoad() {
      load = await startLoad({ ...options, kafka, topic });
    },
    async progress(count) {
      const before = await effectsIn(sql);
      await until(`${count} more effects`, async () => (await effectsIn(sql)) >= before + count);
    },
  };
  return {
    storm,
    async endLoad() {
      await load?.end();
      load = undefined;
    },
    async close() {
      await fleet.end();
      await admin.deleteTopics({ topics: [topic] });
      await admin.disconnect();
      await sql.end();
    },
  };
}

async function openDatabase({
  postgresUrl,
  databasePrefix,
}: Chaos): Promise<{ url: string; sql: postgres.Sql }> {
  const name = databasePrefix + randomBytes(6).toString('hex');
  await createDatabase(postgresUrl, name, templateDatabase(databasePrefix));
  const url = databaseUrl(postgresUrl, name);
  const sql = postgres(url, { onnotice: () => undefined });
  await createChaosTables(sql);
  return { url, sql };
}

async function effectsIn(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::integer as count from effects`;
  return row?.count ?? 0;
}
