import postgres from 'postgres';
import {
  type PostgresProcess,
  startPostgresProcess,
} from '../../../../test/support/services/postgres-process.ts';
import { until } from '../../until.ts';
import type { Act, Scene } from '../scene.ts';
import { BETWEEN, startWorkers } from './workers.ts';

/** A commit is answered when the standby has it too. */
const PRIMARY = { synchronous_standby_names: '*', synchronous_commit: 'on' };

/**
 * The primary is killed, its standby is promoted, and the way to the database leads there. Before each time the server
 * is shut down, and its data are copied for a new standby.
 */
export const failOver: Act = async (scene, steps) => {
  const { toPostgres, log } = scene;
  let primary = scene.postgres;
  startWorkers(scene);
  for (let step = 1; step <= steps; step += 1) {
    await scene.progress(BETWEEN);
    log(`step ${step} of ${steps}: the server is shut down, and starts with a standby`);
    const standby = await scene.during('database', () => addStandby(scene, primary));
    await scene.progress(BETWEEN);
    log(`step ${step} of ${steps}: the primary is killed, and its standby takes its place`);
    await scene.during('database', async () => {
      await primary.kill();
      await toPostgres.cut();
      await ask(standby, (sql) => sql`select pg_promote()`);
      toPostgres.redirect({ host: '127.0.0.1', port: Number(new URL(standby.url).port) });
      await toPostgres.mend();
    });
    primary = standby;
  }
  return undefined;
};

async function addStandby(
  { installation, toPostgres, onClose }: Scene,
  primary: PostgresProcess,
): Promise<PostgresProcess> {
  await toPostgres.cut();
  await primary.shutDown();
  const { port } = new URL(primary.url);
  const settings = { primary_conninfo: `host=127.0.0.1 port=${port} user=postgres` };
  // It follows its primary as soon as that is there.
  const standby = await startPostgresProcess(installation, { settings, standbyOf: primary.data });
  onClose(() => standby.stop());
  await primary.restart(PRIMARY);
  await until('the standby follows', async () => {
    const followers = await ask(
      primary,
      (sql) => sql`select 1 from pg_stat_replication where state = 'streaming' and sync_state = 'sync'`,
    );
    return followers.length === 1;
  });
  await toPostgres.mend();
  return standby;
}

async function ask<T>({ url }: PostgresProcess, question: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined });
  try {
    return await question(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
