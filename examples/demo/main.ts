/**
 * Orders go through SQS to three worker processes. Some are sent twice, some deletes are forgotten, and one worker is
 * killed in the middle of its handlers: first with handle-once, then with a plain loop. A table tells them apart.
 *
 * Run it with `npm run demo`. It brings its own PostgreSQL and SQS, or uses `DATABASE_URL` and an empty `QUEUE_URL`.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { migrate } from 'handle-once';
import colors from 'picocolors';
import { Cleanup } from './cleanup.ts';
import { connect, createTables, dropSchema } from './database.ts';
import { endSignal } from './end-signal.ts';
import { keptItsWord, report } from './report.ts';
import { say } from './say.ts';
import { startDatabase, startQueue } from './services.ts';
import { tallyRecords } from './tally.ts';
import { runTrial, type Stage } from './trial.ts';

const DEADLINE_MS = 60_000;
const NAME = `demo_${randomBytes(4).toString('hex')}`;
const RECORDS_SCHEMA = `${NAME}_records`;

process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

const cleanup = new Cleanup();
process.exitCode = await demo().catch((error: unknown) => {
  console.error(colors.red(error instanceof Error ? error.message : String(error)));
  return 1;
});
await cleanup.run();
process.exit();

async function demo(): Promise<number> {
  const database = await startDatabase();
  cleanup.add(database.stop);
  const queue = await startQueue();
  cleanup.add(queue.stop);
  const signal = endSignal(DEADLINE_MS);
  say('PostgreSQL and SQS are ready');

  say(colors.bold('With handle-once'));
  const first = await setStage(database.url, queue.url, 'once');
  await migrate(first.sql, { schema: RECORDS_SCHEMA });
  cleanup.add(() => dropSchema(first.sql, RECORDS_SCHEMA));
  const withRecords = await runTrial('worker.ts', first, signal);
  const once = { ...withRecords, ...(await tallyRecords(first.sql, RECORDS_SCHEMA)) };

  say(colors.bold('Control: the same without handle-once'));
  const second = await setStage(database.url, queue.url, 'control');
  const control = await runTrial('control-worker.ts', second, signal);

  console.log(`\n${report({ once, control })}\n`);
  return keptItsWord(once) ? 0 : 1;
}

/** Tables of a trial's own. */
async function setStage(databaseUrl: string, queueUrl: string, trial: string): Promise<Stage> {
  const schema = `${NAME}_${trial}`;
  const sql = connect(databaseUrl, schema);
  cleanup.add(() => sql.end({ timeout: 1 }));
  cleanup.add(() => dropSchema(sql, schema));
  await createTables(sql, schema);
  const environment = {
    DATABASE_URL: databaseUrl,
    QUEUE_URL: queueUrl,
    DEMO_SCHEMA: schema,
    DEMO_RECORDS_SCHEMA: RECORDS_SCHEMA,
  };
  return { sql, environment };
}
