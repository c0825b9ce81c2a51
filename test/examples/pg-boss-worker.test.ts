import { createHandleOnce, migrate } from 'handle-once';
import PgBoss from 'pg-boss';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { useEmptyDatabase } from '../support/database.ts';
import { gate } from '../support/gate.ts';
import { type Example, startExample } from './support/example.ts';
import { records } from './support/records.ts';

describe('pg-boss-worker.ts', () => {
  const { sql, url } = useEmptyDatabase();
  beforeAll(() => migrate(sql));

  async function start(): Promise<{ example: Example; boss: PgBoss }> {
    const example = startExample('pg-boss-worker.ts', { DATABASE_URL: url });
    await example.prints('started');
    const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
    onTestFinished(() => boss.stop({ graceful: false, wait: true }));
    boss.on('error', () => undefined);
    await boss.start();
    return { example, boss };
  }

  async function stateOf(boss: PgBoss, id: string | null): Promise<string | undefined> {
    return (await boss.getJobById('orders', id ?? ''))?.state;
  }

  async function stopped(example: Example): Promise<string> {
    example.signal('SIGTERM');
    expect(await example.exitCode(), example.output()).toBe(0);
    return example.output();
  }

  it('handles an order once that was sent twice, and answers the second job from the record', async () => {
    const { example, boss } = await start();
    const order = { id: 'order-1', cents: 995 };
    const first = await boss.send('orders', order, { singletonKey: 'order-1' });
    const second = await boss.send('orders', order, { singletonKey: 'order-1' });
    for (const id of [first, second]) {
      await expect.poll(() => stateOf(boss, id), { timeout: 15_000 }).toBe('completed');
    }
    const outputs = await Promise.all(
      [first, second].map(async (id) => (await boss.getJobById('orders', id ?? ''))?.output),
    );
    expect(outputs[0]).toEqual({ chargeId: expect.any(String) as string });
    expect(outputs[1]).toEqual(outputs[0]);
    expect((await stopped(example)).match(/^charge /gm)).toHaveLength(1);
  });

  it('tries an order again that another worker has, and completes it from the record', async () => {
    const { example, boss } = await start();
    const order = { id: 'order-2', cents: 995 };
    const end = gate();
    const elsewhere = createHandleOnce({ sql, scope: 'billing' })('order-2', order, () => end.opened);
    await expect.poll(async () => (await records(sql)).some(({ key }) => key === 'order-2')).toBe(true);
    const id = await boss.send('orders', order, { singletonKey: 'order-2' });
    await expect.poll(() => stateOf(boss, id), { timeout: 15_000, interval: 20 }).toBe('retry');
    end.open();
    await elsewhere;
    await expect.poll(() => stateOf(boss, id), { timeout: 15_000 }).toBe('completed');
    expect(await stopped(example)).not.toContain('charge');
  });

  it('dead-letters an order that failed for good, without running it again', async () => {
    const { example, boss } = await start();
    const order = { id: 'order-3', cents: -1 };
    const id = await boss.send('orders', order);
    await expect.poll(() => stateOf(boss, id), { timeout: 25_000 }).toBe('failed');
    await expect.poll(() => boss.fetch('failed-orders')).toMatchObject([{ data: order }]);
    expect((await records(sql)).find(({ key }) => key === id)).toMatchObject({
      state: 'failed',
      failed_reason: 'invalid-payload',
      attempts: 1,
    });
    expect(await stopped(example)).not.toContain('charge');
  });
});
