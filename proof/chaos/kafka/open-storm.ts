import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { createHandleOnce } from '../../../src/index.ts';
import { createChaosTables } from '../../../test/kafka/broker/support/chaos-tables.ts';
import { watchCommits } from '../../../test/kafka/broker/support/commit-watch.ts';
import { startFleet } from '../../../test/kafka/broker/support/fleet.ts';
import { seeded } from '../../../test/kafka/broker/support/seeded.ts';
import { createDatabase, databaseUrl, templateDatabase } from '../../../test/support/databases.ts';
import { createKafkaClient } from '../../../test/support/kafka-client.ts';
import { committedOffsets } from '../../../test/support/kafka-offsets.ts';
import type { Chaos } from '../chaos.ts';
import { until } from '../until.ts';
import { type Load, startLoad } from './load.ts';
import type { Storm, StormOptions } from './storm.ts';

export interface OpenStorm {
  readonly storm: Storm;
  readonly endLoad: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A topic, a group without members, and a database of their own. */
export async function openStorm(chaos: Chaos, options: StormOptions): Promise<OpenStorm> {
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
