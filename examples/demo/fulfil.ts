import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import type { Order } from './traffic.ts';

/** The handler of both trials: charge the card, mail a receipt, pack. None of it is in a transaction with a record. */
export async function fulfil(sql: Sql, worker: number, order: Order, idempotencyKey: string): Promise<void> {
  const [run] = await sql<{ id: number }[]>`
    insert into runs (order_id, worker) values (${order.id}, ${worker}) returning id`;
  if (run === undefined) throw new Error('the database returned no id of the run');
  await sleep(50 + (order.cents % 200));
  await charge(sql, order, idempotencyKey);
  await sql`insert into emails (order_id, run) values (${order.id}, ${run.id})`;
  // A worker that is killed here has charged and mailed, and nobody knows.
  await sleep(50 + (order.cents % 170));
  await sql`update runs set ended_at = clock_timestamp() where id = ${run.id}`;
}

/** A payment provider: it charges once per key, however often it is asked. */
async function charge(sql: Sql, order: Order, idempotencyKey: string): Promise<void> {
  await sql`
    insert into charges (idempotency_key, order_id) values (${idempotencyKey}, ${order.id})
    on conflict (idempotency_key) do nothing`;
}

/** What code has that keeps nothing from one run to the next: to the provider, each charge is a new one. */
export function freshKey(): string {
  return randomUUID();
}
