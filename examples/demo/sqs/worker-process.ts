import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Fulfiller } from '../fulfil.ts';
import { startWorkerProcess, type WorkerProcess } from '../worker-process.ts';
import { FORGETFUL_WORKER, LONGEST_WAIT_MS, sqsEnvironment } from './environment.ts';
import { forgetDeletes } from './forget-deletes.ts';
import { createWorkerClient } from './queue-client.ts';

export interface SqsWorkerProcess extends WorkerProcess, Fulfiller {
  readonly client: SQSClient;
  readonly queueUrl: string;
}

/** What the workers of both trials have in common. */
export function startSqsWorkerProcess(): SqsWorkerProcess {
  const started = startWorkerProcess();
  const client = createWorkerClient(started.journal);
  if (started.worker === FORGETFUL_WORKER) forgetDeletes(client, started.journal);
  const { QUEUE_URL: queueUrl } = sqsEnvironment();
  return { ...started, client, queueUrl, longestWaitMs: LONGEST_WAIT_MS };
}
