import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { messagesIn } from '../../examples/demo/sqs/messages-in.ts';
import { useEmptyDatabase } from '../support/database.ts';
import { createQueueWithRedrive, sqsEndpoint, useSqs } from '../support/sqs.ts';
import { awsEnvironment, startExample } from './support/example.ts';
import { records } from './support/records.ts';

const client = useSqs('elasticmq');

/** Prints that the process has got its signal, in the turn in which Nest gets it. */
const SAYS_SIGNALLED =
  '--import=data:text/javascript,process.once(%22SIGTERM%22,()=>console.log(%22has%20the%20signal%22))';

describe('nestjs-sqs.ts', () => {
  const { sql, url } = useEmptyDatabase();

  /** Whether a claim waits for the lock on the table: maintenance can too. */
  async function isClaiming(): Promise<boolean> {
    const waiting = await sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query ilike '%insert into%'`;
    return waiting.length > 0;
  }

  it('handles orders, and gives back what has not started when the application is shut down', async () => {
    const queueUrl = await createQueueWithRedrive(client);
    const send = (body: string) =>
      client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body }));
    const example = startExample('nestjs-sqs.ts', {
      ...awsEnvironment(sqsEndpoint('elasticmq')),
      DATABASE_URL: url,
      QUEUE_URL: queueUrl,
      NODE_OPTIONS: SAYS_SIGNALLED,
    });
    await example.prints('started');
    await send('{"id":"order-1","cents":995}');
    await expect.poll(() => messagesIn(client, queueUrl), { timeout: 20_000 }).toBe(0);

    // The second order has not started when the application is told to end.
    await sql.begin(async (transaction) => {
      await transaction`lock table handle_once.records`;
      await send('{"id":"order-2","cents":1995}');
      await expect.poll(isClaiming, { timeout: 10_000 }).toBe(true);
      example.signal('SIGTERM');
      await example.prints('has the signal');
    });

    // Nest ends its process by the signal that it was sent.
    expect(await example.exitCode(), example.output()).toBeNull();
    expect(example.output()).toMatch(/charge 995 cents for order-1.*stopped/s);
    expect(example.output()).not.toContain('order-2');
    expect(example.output()).not.toContain('HandleOnceWarning');
    expect(await messagesIn(client, queueUrl)).toBe(1);
    const found = (await records(sql)).map(({ state, attempts }) => `${state} ${attempts}`);
    expect(found.sort()).toEqual(['pending 0', 'succeeded 1']);
  });
});
