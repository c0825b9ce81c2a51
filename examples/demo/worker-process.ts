import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Sql } from 'postgres';
import { connect } from './database.ts';
import { FORGETFUL_WORKER, workerEnvironment } from './environment.ts';
import { createWorkerClient, forgetDeletes } from './queue-client.ts';

export interface WorkerProcess {
  readonly worker: number;
  readonly sql: Sql;
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly recordsSchema: string;
}

/** What the workers of both trials have in common. */
export function startWorkerProcess(): WorkerProcess {
  const { DATABASE_URL, QUEUE_URL, DEMO_SCHEMA, DEMO_RECORDS_SCHEMA, DEMO_WORKER } = workerEnvironment();
  const worker = Number(DEMO_WORKER);
  const sql = connect(DATABASE_URL, DEMO_SCHEMA);
  const client = createWorkerClient(sql, worker);
  if (worker === FORGETFUL_WORKER) forgetDeletes(client, sql);
  // Ctrl-C reaches every process of a terminal; what it means for workers is for the demo to say.
  process.on('SIGINT', () => undefined);
  // No worker outlives the demo, however the demo ends.
  process.once('disconnect', () => process.exit(1));
  return { worker, sql, client, queueUrl: QUEUE_URL, recordsSchema: DEMO_RECORDS_SCHEMA };
}

/** Has the worker stop in peace when the demo asks for it. */
export function onStop(stop: () => Promise<void>): void {
  process.once('SIGTERM', () => {
    void stop().then(() => process.exit(0));
  });
}
