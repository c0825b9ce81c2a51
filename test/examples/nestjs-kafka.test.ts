import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { useEmptyDatabase } from '../support/database.ts';
import { kafkaBrokers, useKafka } from '../support/kafka.ts';
import { type Example, startExample } from './support/example.ts';
import { records } from './support/records.ts';

const kafka = useKafka();
const { sql, url } = useEmptyDatabase();

/** Stands for the payment provider. */
let provider: Server;
let answer = 200;
let charges: (string | undefined)[] = [];

beforeAll(async () => {
  provider = createServer((request, response) => {
    charges.push(request.headers['idempotency-key']?.toString());
    request.resume();
    response.writeHead(answer).end();
  });
  await once(provider.listen(0, '127.0.0.1'), 'listening');
});

afterAll(() => {
  provider.closeAllConnections();
  provider.close();
});

async function start(topic: string): Promise<Example> {
  const example = startExample('nestjs-kafka.ts', {
    DATABASE_URL: url,
    KAFKA_BROKERS: kafkaBrokers().join(','),
    TOPIC: topic,
    PROVIDER_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
  });
  await example.prints(/^started$/m);
  return example;
}

async function stopped(example: Example): Promise<string> {
  example.signal('SIGTERM');
  expect(await example.exitCode(), example.output()).toBe(0);
  expect(example.output()).toMatch(/^stopped$/m);
  return example.output();
}

async function topicOf(...orders: object[]): Promise<string> {
  charges = [];
  answer = 200;
  const topic = await kafka.createTopic();
  onTestFinished(async () => {
    await sql`delete from handle_once.records`;
  });
  await kafka.produce(
    topic,
    orders.map((order) => ({ value: JSON.stringify(order) })),
  );
  return topic;
}

const committed = (topic: string) => kafka.committed('payments', topic);
const soon = { timeout: 20_000, interval: 50 };

describe('nestjs-kafka.ts', () => {
  it('charges an order once that is delivered twice', async () => {
    const topic = await topicOf({ id: 'order-1', cents: 995 }, { id: 'order-2', cents: 1995 });
    const first = await start(topic);
    await expect.poll(() => committed(topic), soon).toEqual([2]);
    expect(await stopped(first)).toContain('charged 995 cents for order-1');
    expect(charges).toHaveLength(2);

    await kafka.admin.setOffsets({ groupId: 'payments', topic, partitions: [{ partition: 0, offset: '0' }] });
    const second = await start(topic);
    await expect.poll(() => committed(topic), soon).toEqual([2]);
    expect(await stopped(second)).not.toContain('charged');
    expect(charges).toHaveLength(2);
  });

  it('tries a charge again that failed, under the same key, and commits nothing before it is through', async () => {
    const topic = await topicOf({ id: 'order-3', cents: 995 }, { id: 'order-4', cents: 1995 });
    answer = 503;
    const example = await start(topic);
    await expect.poll(() => charges.length, soon).toBeGreaterThanOrEqual(3);
    expect(await committed(topic)).toEqual([0]);
    expect(new Set(charges).size, 'no order behind the pending one runs').toBe(1);

    answer = 200;
    await expect.poll(() => committed(topic), soon).toEqual([2]);
    const output = await stopped(example);
    expect(output.match(/^charged .*$/gm)).toEqual([
      'charged 995 cents for order-3',
      'charged 1995 cents for order-4',
    ]);
    expect(new Set(charges).size).toBe(2);
  });

  it('gives up an order whose card is declined or that fits no schema, and goes on', async () => {
    const topic = await topicOf({ id: 'order-5', cents: 995 }, { id: 'order-6', cents: -1 });
    answer = 402;
    const example = await start(topic);
    await expect.poll(() => committed(topic), soon).toEqual([2]);
    await stopped(example);
    expect(charges).toHaveLength(1);
    expect(await records(sql)).toMatchObject([
      { scope: 'orders>kafka:payments', key: `${topic}-0-0`, state: 'failed', failed_reason: 'terminal' },
      {
        scope: 'orders>kafka:payments',
        key: `${topic}-0-1`,
        state: 'failed',
        failed_reason: 'invalid-payload',
      },
    ]);
  });
});
