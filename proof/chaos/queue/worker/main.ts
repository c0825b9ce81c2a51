import type { SQSClient } from '@aws-sdk/client-sqs';
import { guardedSocket } from 'handle-once/clients';
import postgres from 'postgres';
import { createSqsClient } from '../../../../test/support/sqs-client.ts';
import type { WorkerSettings } from '../settings.ts';
import { packageConsumer } from './package-consumer.ts';
import { createReach } from './points.ts';
import { reportStandstills } from './report.ts';
import { tutorialConsumer } from './tutorial-consumer.ts';
import { createWork } from './work.ts';

/** A worker in a process of its own, which stops on SIGTERM. Its settings are its only argument. */
const settings = JSON.parse(process.argv[2] ?? '{}') as WorkerSettings;
const { consumer, endpoint, databaseUrl, effectsUrl, prepare, leaseMs } = settings;

reportStandstills();
const reach = createReach(settings);
const options = { fetch_types: false, onnotice: () => undefined };
// A handler in a transaction holds a connection: two more than there are handlers.
const sql = postgres(databaseUrl, {
  ...{ ...options, max: 12, prepare, connect_timeout: 5 },
  ...guardedSocket({ unansweredMs: leaseMs }),
});
const effects = postgres(effectsUrl, { ...options, max: 4 });

const realClient = createSqsClient(endpoint);
const client = {
  send(command: object, ...rest: []) {
    if (command.constructor.name.startsWith('DeleteMessage')) reach('before-delete');
    return realClient.send(command as never, ...rest);
  },
} as unknown as SQSClient;

const parts = { settings, client, sql, effects, reach, work: createWork(settings, reach) };
const isOurs = consumer === 'handle-once' || consumer === 'in-transaction';
const consuming = isOurs ? packageConsumer(parts) : tutorialConsumer(parts);

process.once('SIGTERM', () => {
  void consuming
    .stop()
    .then(() => Promise.all([sql.end({ timeout: 5 }), effects.end({ timeout: 5 })]))
    .then(() => process.exit(0));
});
// The process that started it has died.
process.once('disconnect', () => process.exit(1));

await consuming.start();
