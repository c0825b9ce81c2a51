import { describe, expect, it } from 'vitest';
import { useEmptyDatabase } from '../support/database.ts';
import { startExample } from './support/example.ts';
import { records } from './support/records.ts';
import { senderTo, WEBHOOK_SECRET } from './support/sender.ts';

describe('webhook-receiver.ts', () => {
  const { sql, url } = useEmptyDatabase();

  it('handles a delivery once that is sent three times, and refuses a forged one', async () => {
    const example = startExample('webhook-receiver.ts', { DATABASE_URL: url, WEBHOOK_SECRET, PORT: '0' });
    const sender = await senderTo(example);
    const body = '{"action":"opened"}';
    for (const id of ['a', 'a', 'a', 'b']) expect(await sender.send(id, body)).toBe(200);
    expect(await sender.forge('c', body)).toBe(401);
    expect(await sender.send('a', '{"action":"closed"}')).toBe(422);
    example.signal('SIGTERM');

    expect(await example.exitCode(), example.output()).toBe(0);
    expect(example.output().match(/^delivery a: { action: 'opened' }$/gm)).toHaveLength(1);
    expect(await records(sql)).toMatchObject([
      { scope: 'webhooks>webhook:standard-webhooks', key: 'a', state: 'succeeded', attempts: 1 },
      { scope: 'webhooks>webhook:standard-webhooks', key: 'b', state: 'succeeded', attempts: 1 },
    ]);
  });
});
