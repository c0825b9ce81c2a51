import { createHandleOnce, retention } from 'handle-once';
import { onceEachWebhook } from 'handle-once/webhook';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { SECRET } from './support/deliveries.ts';

describe('On PostgreSQL', () => {
  const { sql } = useDatabase();
  const webhook = new Webhook(SECRET);

  function wrap(run: (order: { cents: number }) => Promise<void>) {
    return onceEachWebhook(
      {
        handleOnce: createHandleOnce({ sql, scope: 'hooks', ...retention.webhook }),
        source: 'standard-webhooks',
        verify: ({ headers, body }) => {
          webhook.verify(body, headers);
          return true;
        },
        parse: (body) => JSON.parse(body) as { cents: number },
      },
      run,
    );
  }

  function signed(id: string, body: string): { headers: Record<string, string>; body: string } {
    const at = new Date();
    const timestamp = String(Math.floor(at.getTime() / 1_000));
    const signature = webhook.sign(id, at, body);
    return {
      headers: { 'Webhook-Id': id, 'Webhook-Timestamp': timestamp, 'Webhook-Signature': signature },
      body,
    };
  }

  it('runs one of fifty deliveries of the same id at once, and replays the next', async () => {
    await sql`create table charges (cents int not null)`;
    let refused = 0;
    const charge = async ({ cents }: { cents: number }): Promise<void> => {
      await until(() => refused === 49);
      await sql`insert into charges values (${cents})`;
    };
    const [one, other] = [wrap(charge), wrap(charge)]; // as behind a load balancer
    const delivery = signed('msg_1', '{"cents":995}');
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const { answer } = await (index % 2 === 0 ? one : other)(delivery);
        if (answer.status === 503) refused += 1;
        return answer.status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(await other(delivery)).toMatchObject({
      answer: { status: 200 },
      outcome: { state: 'succeeded', replayed: true, attempts: 1 },
    });
    expect(await sql`select cents from charges`).toEqual([{ cents: 995 }]);
    const rows = await sql`
      select scope, key, live_until > now() + interval '6 days' as kept from handle_once.records`;
    expect(rows).toEqual([{ scope: 'hooks>webhook:standard-webhooks', key: 'msg_1', kept: true }]);
  });

  it('answers 500 for a damaged record, and runs nothing', async () => {
    let runs = 0;
    const handleWebhook = wrap(() => Promise.resolve(void (runs += 1)));
    const delivery = signed('msg_3', '{"cents":1}');
    await handleWebhook(delivery);
    await sql`update handle_once.records set result = '{' where key = 'msg_3'`;
    expect(await handleWebhook(delivery)).toMatchObject({
      answer: { status: 500 },
      error: { code: 'DAMAGED_RECORD' },
    });
    expect(runs).toBe(1);
  });

  it('keeps nothing of a forged delivery', async () => {
    const handleWebhook = wrap(() => Promise.resolve());
    const delivery = { ...signed('msg_2', '{"cents":1}'), body: '{"cents":1000000}' };
    expect(await handleWebhook(delivery)).toMatchObject({ answer: { status: 401 } });
    expect(await sql`select 1 from handle_once.records where key = 'msg_2'`).toHaveLength(0);
  });
});
