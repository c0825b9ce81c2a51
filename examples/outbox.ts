/**
 * An outbox: a handler writes the message that it wants sent in the transaction of its other writes, and a relay
 * publishes the rows in order. A row that is published twice keeps its key, by which the next consumer handles it once.
 * Copy this file: docs/transactions.md#an-outbox.
 *
 *     const sql = fromPg(pool);
 *     const handleOnce = createHandleOnce({ sql, scope: 'shipping' });
 *     await handleOnce.inTransaction(order.id, order, shipAndTell('shipped'));
 *
 *     const stopping = new AbortController();
 *     const relaying = relay({ sql, producer, signal: stopping.signal });
 *     process.once('SIGTERM', async () => {
 *       stopping.abort();
 *       await relaying;
 *       await producer.disconnect();
 *       await pool.end();
 *     });
 *
 *     await consumer.run(onceEachKafkaMessage({ ...options, key: outboxKey, ordering: 'key' }, notify));
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attempt, DatabaseClient } from 'handle-once';
import type { KafkaMessage, Producer } from 'kafkajs';
import type { PoolClient } from 'pg';

const KEY_HEADER = 'outbox-key';
const POLL_MS = 500;
const CHUNK_ROWS = 100;
/** No row begins behind it. With the largest payload as last row a chunk is below the 1 MB that a broker takes. */
const CHUNK_BYTES = 400_000;

/** Put this into one of your migrations. A payload that is too large fails in its handler: it would block the relay. */
export const OUTBOX_TABLE = `
  create table outbox (
    id bigint generated always as identity primary key,
    key text not null,
    topic text not null,
    partition_key text not null,
    payload text not null check (octet_length(payload) <= 500000)
  )`;

const LOCK = `select pg_try_advisory_xact_lock(hashtextextended('outbox', 0)) as held`;
const OLDEST = `
  select id, key, topic, partition_key, payload from (
    select *, sum(octet_length(payload)) over (order by id) - octet_length(payload) as begins_at
    from (select * from outbox order by id limit $1) as oldest
  ) as measured
  where begins_at < $2 order by id`;

interface Row {
  readonly id: string;
  readonly key: string;
  readonly topic: string;
  readonly partition_key: string;
  readonly payload: string;
}

interface Outlet {
  readonly sql: DatabaseClient<PoolClient>;
  /** Without `idempotent`, with which kafkajs would try without end, in an open transaction. */
  readonly producer: Pick<Producer, 'sendBatch'>;
}

/** The handler, for `handleOnce.inTransaction`, or for an adapter with `inTransaction: true`. */
export function shipAndTell(topic: string) {
  return async ({ id }: { readonly id: string }, attempt: Attempt, tx: PoolClient): Promise<void> => {
    // First, since it locks the order: messages of one order then get their ids in the order of their commits.
    await tx.query('update orders set shipped = true where id = $1', [id]);
    await tx.query('insert into outbox (key, topic, partition_key, payload) values ($1, $2, $3, $4)', [
      attempt.childKey('shipped'),
      topic,
      id,
      JSON.stringify({ id }),
    ]);
  };
}

/** Publishes until `signal` aborts, and finishes the chunk that is under way then. Any number of them may run. */
export async function relay({ signal, ...outlet }: Outlet & { readonly signal: AbortSignal }): Promise<void> {
  while (!signal.aborted) {
    const published = await publishChunk(outlet).catch((error: unknown) => {
      console.error('the outbox keeps its rows:', error); // the broker or the database is away
      return 0;
    });
    if (published === 0) await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** How many rows it has published and deleted: none while another relay is at it. */
export async function publishChunk({ sql, producer }: Outlet): Promise<number> {
  return await sql.begin(async (tx) => {
    const { rows: locks } = await tx.query<{ held: boolean }>(LOCK);
    if (locks[0]?.held !== true) return 0;
    // A statement of its own: its snapshot is made under the lock, without the rows that the last relay has deleted.
    const { rows } = await tx.query<Row>(OLDEST, [CHUNK_ROWS, CHUNK_BYTES]);
    if (rows.length === 0) return 0;
    await producer.sendBatch({ topicMessages: rows.map(toMessage) });
    // Who dies from here to the COMMIT leaves published rows, which are published again. By id, and not all up to the
    // last: a lower id can have committed meanwhile.
    await tx.query('delete from outbox where id = any($1)', [rows.map(({ id }) => id)]);
    return rows.length;
  });
}

/** kafkajs puts the messages of a topic together, in this order. */
function toMessage({ key, topic, partition_key, payload }: Row) {
  return { topic, messages: [{ key: partition_key, value: payload, headers: { [KEY_HEADER]: key } }] };
}

/** The option `key` of the next consumer. */
export function outboxKey({ headers }: KafkaMessage): string | undefined {
  return headers?.[KEY_HEADER]?.toString();
}
