import { createHandleOnce } from 'handle-once';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { createSqsClient } from '../../support/sqs-client.ts';
import { sqsEndpoint } from '../../support/sqs.ts';
import { type Fixture } from '../support/fixture.ts';
import { until } from '../../support/until.ts';
import { sendMany } from '../support/send-many.ts';

/** Two workers that share a queue and a database, and nothing else. */
export function twoWorkersSuite({ client, databaseUrl, server, setup }: Fixture): void {
  test('never run one key twice, though handlers outlast the visibility timeout and keys come again and again', async () => {
    // Long enough that a lease outlives a machine that is busy for a moment.
    const queue = await setup({ visibilityTimeoutSeconds: 3 }, { leaseMs: 2_700 });
    const keys = Array.from({ length: 8 }, (_, n) => String(n));
    const runs: unknown[] = [];
    const workers = [1, 2].map(() => {
      const sql = postgres(databaseUrl, { max: 4, onnotice: () => undefined });
      const ownClient = createSqsClient(sqsEndpoint(server));
      onTestFinished(async () => {
        ownClient.destroy();
        await sql.end();
      });
      return queue.worker({
        client: ownClient,
        handleOnce: createHandleOnce({ sql, scope: queue.scope, leaseMs: 2_700 }),
        key: ({ Body }) => Body ?? '',
        concurrency: 6,
        handler: async (payload) => {
          runs.push(payload);
          const ends = performance.now() + 3_500;
          await until(() => performance.now() > ends);
        },
      });
    });
    await Promise.all(workers.map((worker) => worker.start()));

    await sendMany(client, queue.queueUrl, [...keys, ...keys]);
    await until(() => runs.length >= keys.length / 2);
    await sendMany(client, queue.queueUrl, keys);
    await queue.empty();

    expect(runs.sort()).toEqual(keys.map(Number));
  });
}
