import { describe, expect, it } from 'vitest';
import { useEmptyDatabase } from '../support/database.ts';
import { kafkaBrokers, useKafka } from '../support/kafka.ts';
import { type Example, startExample } from './support/example.ts';
import { records } from './support/records.ts';

const SCOPE = 'orders>kafka:billing';

const kafka = useKafka();
const { sql, url } = useEmptyDatabase();

const orders = ['{"id":"order-1","cents":995}', '{"id":"order-2","cents":1995}'];
const invalid = '{"id":"order-3","cents":-1}';

function start(topic: string, deadLetterTopic: string): Example {
  return startExample('kafka-each-message.ts', {
    DATABASE_URL: url,
    KAFKA_BROKERS: kafkaBrokers().join(','),
    TOPIC: topic,
    DEAD_LETTER_TOPIC: deadLetterTopic,
  });
}

async function stopped(example: Example): Promise<string> {
  example.signal('SIGTERM');
  expect(await example.exitCode(), example.output()).toBe(0);
  expect(example.output()).toMatch(/^stopped$/m);
  return example.output();
}

describe('kafka-each-message.ts', () => {
  it('handles orders, dead-letters what is none, and commits all of them when it stops', async () => {
    const topic = await kafka.createTopic();
    const deadLetterTopic = await kafka.createTopic();
    await kafka.produce(
      topic,
      [...orders, invalid].map((value) => ({ key: 'customer-1', value })),
    );
    const example = start(topic, deadLetterTopic);
    await expect.poll(() => kafka.endOffsets(deadLetterTopic), { timeout: 20_000 }).toEqual([1]);

    const output = await stopped(example);
    expect(output.match(/^charge .*$/gm)).toEqual([
      'charge 995 cents for order-1',
      'charge 1995 cents for order-2',
    ]);
    // What the topic keeps and what the timeouts are fits: there is nothing to warn of.
    expect(output.replaceAll('[FAILED] HandleOnceWarning', '')).not.toContain('HandleOnceWarning');
    expect(await kafka.committed('billing', topic)).toEqual([3]);
    const [deadLetter] = await kafka.read(deadLetterTopic);
    expect(deadLetter?.value).toEqual(Buffer.from(invalid));
    expect(String(deadLetter?.headers?.['handle-once-error'])).toMatch(/^InvalidPayloadError: the payload /);
    expect(await records(sql)).toMatchObject([
      { scope: SCOPE, key: `${topic}-0-0`, state: 'succeeded', attempts: 1 },
      { scope: SCOPE, key: `${topic}-0-1`, state: 'succeeded', attempts: 1 },
      { scope: SCOPE, key: `${topic}-0-2`, state: 'failed', failed_reason: 'invalid-payload' },
    ]);
  });

  it('warns of a topic that keeps messages for longer than the records are kept', async () => {
    const topic = await kafka.createTopic({ config: { 'retention.ms': '-1' } });
    const example = start(topic, await kafka.createTopic());
    await example.prints('[RETENTION_TOO_SHORT]');
    await stopped(example);
  });
});
