import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { DOOMED_WORKER, LEAST_ENDED } from './environment.ts';
import type { Order } from './traffic.ts';

/** Who fulfils orders, and how long one takes: the longest wait before its effects, and after them. */
export interface Fulfiller {
  readonly sql: Sql;
  readonly worker: number;
  readonly longestWaitMs: number;
}

/** Longer than the demo waits for anything. */
const UNTIL_KILLED_MS = 600_000;

/** Runs of this process that have ended, and those that are held in their middle until it is killed. */
let ended = 0;
let held = 0;

/** The handler of both trials: charge the card, mail a receipt, pack. None of it is in a transaction with a record. */
export async function fulfil(
  { sql, worker, longestWaitMs }: Fulfiller,
  order: Order,
  idempotencyKey: string,
): Promise<void> {
  const [run] = await sql<{ id: number }[]>`
    insert into runs (order_id, worker) values (${order.id}, ${worker}) returning id`;
  if (run === undefined) throw new Error('the database returned no id of the run');
  const isHeld = worker === DOOMED_WORKER && ended >= LEAST_ENDED;
  if (isHeld) held += 1;
  // Every other one before its effects: the first after them, since a worker may have no other.
  const isHeldHere = isHeld && held % 2 === 0;
  await sleep(isHeldHere ? UNTIL_KILLED_MS : longestWaitMs * shareOf(order, 97));
  await charge(sql, order, idempotencyKey);
  await sql`insert into emails (order_id, run) values (${order.id}, ${run.id})`;
  // A worker that is killed here has charged and mailed, and left no record of it.
  await sleep(isHeld ? UNTIL_KILLED_MS : longestWaitMs * shareOf(order, 89));
  await sql`update runs set ended_at = clock_timestamp() where id = ${run.id}`;
  ended += 1;
}

/** Between a fifth and the whole, and the same for an order every time. */
function shareOf(order: Order, prime: number): number {
  return 0.2 + (0.8 * (order.cents % prime)) / prime;
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
