import { DeleteMessageCommand, type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { Consuming, Parts } from './package-consumer.ts';
import { report } from './report.ts';

const again = (): Error => new Error('again');

/**
 * The consumers that tutorials show. `select-first` looks for the message in a table, and inserts it after the effect;
 * `insert-first` inserts it before the effect, and lets the constraint tell a duplicate.
 */
export function tutorialConsumer({ settings, client, sql, effects, work }: Parts): Consuming {
  const { consumer, queueUrl, visibilityTimeoutSeconds } = settings;
  let isRunning = true;
  let loop: Promise<void> | undefined;

  async function isNew(message: number): Promise<boolean> {
    if (consumer === 'insert-first') {
      const inserted = await sql`
        insert into processed (message) values (${message}) on conflict do nothing returning message`;
      return inserted.length > 0;
    }
    const found = await sql`select 1 from processed where message = ${message}`;
    return found.length === 0;
  }

  async function handle({ Body, ReceiptHandle }: Message): Promise<void> {
    const { message } = JSON.parse(Body ?? '') as { message: number };
    if (await isNew(message)) {
      const run = work.begin(message);
      try {
        const lookedAt = await work.prepare();
        work.fails(again);
        await work.takeEffects(effects, [{ ...run, lookedAt, effectKey: null }]);
        if (consumer === 'select-first') {
          await sql`insert into processed (message) values (${message}) on conflict do nothing`;
        }
        report({ type: 'ended', message, run: run.run, ending: 'succeeded' });
      } catch (error) {
        report({ type: 'ended', message, run: run.run, ending: 'threw' });
        throw error;
      }
    }
    await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
  }

  async function receive(): Promise<void> {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 2,
        VisibilityTimeout: visibilityTimeoutSeconds,
      }),
    );
    // One that fails comes again after its visibility timeout.
    await Promise.allSettled(Messages.map(handle));
  }

  return {
    start() {
      loop = (async () => {
        while (isRunning) await receive().catch(() => undefined);
      })();
      return Promise.resolve();
    },
    async stop() {
      isRunning = false;
      await loop;
    },
  };
}
