import { CreateQueueCommand, DeleteQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, test, vi } from 'vitest';
import { until } from '../../support/until.ts';
import { setupFailing } from '../support/failing.ts';
import type { Fixture } from '../support/fixture.ts';
import { interposedClient } from '../support/interposed-client.ts';

/** What the servers answer each in its own way. */
export function serverAnswersSuite(fixture: Fixture): void {
  const { client, setup } = fixture;

  test('receives of a queue that is deleted and made again go on', async () => {
    const queue = await setup();
    const handler = vi.fn();
    const worker = await queue.startWorker({ handler });
    await client.send(new DeleteQueueCommand({ QueueUrl: queue.queueUrl }));
    await until(() => (worker.counts()['queue-error'] ?? 0) > 0);
    const QueueName = queue.queueUrl.split('/').at(-1);
    await client.send(new CreateQueueCommand({ QueueName, Attributes: { VisibilityTimeout: '2' } }));
    await queue.send('1');
    await until(() => worker.counts().acknowledged === 1);
    expect(handler).toHaveBeenCalledTimes(1);
  });

  test('a delete of which the server says that the message is gone does no harm', async () => {
    const queue = await setup({ visibilityTimeoutSeconds: 20 });
    // The first delete is sent twice, as after a lost reply. ElasticMQ answers the second with
    // ReceiptHandleIsInvalid; at AWS and on fauxqs it succeeds.
    const twice = interposedClient(client, async ({ verb }, forward) => {
      if (verb === 'DeleteMessageBatch') await forward();
      return await forward();
    });
    await queue.send('1');
    await queue.send('2');
    const worker = await queue.startWorker({ client: twice, handler: () => undefined });
    await until(() => (worker.counts().acknowledged ?? 0) + (worker.counts().kept ?? 0) === 2);
    expect(await queue.size()).toEqual({ visible: 0, invisible: 0 });
    expect(queue.handleOnce.counts()).toEqual({ claimed: 2, succeeded: 2 });
  });

  test('a redrive in a FIFO queue says that dead letters are left behind kept ones of their group', async () => {
    const redriven = async (dryRun: boolean): Promise<void> => {
      const queue = await setupFailing(fixture, { fifo: true });
      for (let n = 0; n < 12; n += 1) {
        const own = { MessageGroupId: 'customer-7', MessageDeduplicationId: String(n) };
        await client.send(new SendMessageCommand({ QueueUrl: queue.deadLetters, MessageBody: '1', ...own }));
      }
      const { state, sent, kept } = await queue.redrive({ dryRun });
      expect({ state, sent }).toEqual({ state: 'blocked', sent: 0 });
      expect(kept).toBeLessThan(12);
      expect(await queue.letters()).toHaveLength(12);
    };
    await Promise.all([redriven(true), redriven(false)]);
  });
}
