/**
 * Orders go through a broker to worker processes, one of which is killed in the middle of its handlers: first with
 * handle-once, then with plain code. A table tells them apart.
 *
 * With SQS (`npm run demo`) some orders are sent twice, and a worker forgets some deletes. It brings its own PostgreSQL
 * and SQS, or uses `DATABASE_URL` and an empty `QUEUE_URL`.
 *
 * With Kafka (`npm run demo -- kafka`) some orders are written twice, and the group rebalances: another worker gets the
 * dead one's partitions, and a third joins. It needs `KAFKA_BROKERS`, or Docker, or Java 17 and Maven.
 *
 * `npm run demo -- dashboard` then shows in the dashboard what is on record, until Ctrl+C; so does `kafka dashboard`.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { migrate } from 'handle-once';
import colors from 'picocolors';
import type { RunningBroker } from './broker.ts';
import { chooseBroker } from './choose-broker.ts';
import { Cleanup } from './cleanup.ts';
import { connect, createTables, dropSchema } from './database.ts';
import { endOnSignals } from './end-on-signals.ts';
import { failure } from './failure.ts';
import { createPatience, type Patience } from './patience.ts';
import { keptItsWord, report } from './report.ts';
import { say } from './say.ts';
import type { DemoService } from './service.ts';
import { showDashboard } from './show-dashboard.ts';
import { startDatabase } from './start-database.ts';
import { tallyRecords } from './tally.ts';
import { runTrial, type Stage } from './trial.ts';

const PATIENCE_MS = 60_000;
const NAME = `demo_${randomBytes(4).toString('hex')}`;
const RECORDS_SCHEMA = `${NAME}_records`;
const DASHBOARD = 'dashboard';

process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

const cleanup = new Cleanup();
let patience: Patience | undefined;
process.exitCode = await demo().catch((error: unknown) => {
  console.error(colors.red(failure(error, patience?.signal)));
  return 1;
});
await cleanup.run();
process.exit();

async function demo(): Promise<number> {
  const args = process.argv.slice(2);
  const broker = chooseBroker(args.filter((arg) => arg !== DASHBOARD));
  const database = await startDatabase();
  cleanup.add(database.stop);
  const running = await broker.start();
  cleanup.add(() => running.stop());
  patience = createPatience(PATIENCE_MS);
  endOnSignals(patience);
  say(`PostgreSQL and ${broker.name} are ready`);

  say(colors.bold('With handle-once'));
  const first = await setStage(database, running, 'once');
  await migrate(first.sql, { schema: RECORDS_SCHEMA });
  if (database.isBorrowed) cleanup.add(() => dropSchema(first.sql, RECORDS_SCHEMA));
  const withRecords = await runTrial(broker, broker.once, first, patience);
  const once = { ...withRecords, ...(await tallyRecords(first.sql, RECORDS_SCHEMA)) };

  say(colors.bold('Control: the same without handle-once'));
  const second = await setStage(database, running, 'control');
  const control = await runTrial(broker, broker.control, second, patience);

  console.log(`\n${report({ once, control }, broker.words)}\n`);
  if (args.includes(DASHBOARD)) await showDashboard({ sql: first.sql, databaseSchema: RECORDS_SCHEMA });
  return keptItsWord(once) ? 0 : 1;
}

/** Tables and messages of a trial's own. */
async function setStage(database: DemoService, broker: RunningBroker, trial: string): Promise<Stage> {
  const schema = `${NAME}_${trial}`;
  const sql = connect(database.url, schema);
  cleanup.add(() => sql.end({ timeout: 1 }));
  if (database.isBorrowed) cleanup.add(() => dropSchema(sql, schema));
  await createTables(sql, schema);
  const channel = await broker.openChannel(schema);
  const environment = {
    ...channel.environment,
    DATABASE_URL: database.url,
    DEMO_SCHEMA: schema,
    DEMO_RECORDS_SCHEMA: RECORDS_SCHEMA,
  };
  return { sql, channel, environment };
}
