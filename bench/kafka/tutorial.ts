import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import type { Contender } from './contender.ts';

/** What a tutorial puts in `eachMessage`: SELECT, INSERT, the work, UPDATE, and a commit of each message. */
export async function tutorialContender(
  sql: postgres.Sql,
  partitionsConsumedConcurrently: number,
): Promise<Contender> {
  await sql`create table if not exists kafka_tutorial (
    key text primary key, status text not null, payload_hash text not null,
    created_at timestamptz not null default now())`;
  return {
    name: 'tutorial in eachMessage',
    runConfig: (consumer, groupId, work) => ({
      autoCommit: false,
      partitionsConsumedConcurrently,
      async eachMessage({ topic, partition, message }) {
        const key = `${groupId}-${topic}-${partition}-${message.offset}`;
        const hash = createHash('sha256')
          .update(message.value ?? '')
          .digest('hex');
        const [known] = await sql`select status, payload_hash from kafka_tutorial where key = ${key}`;
        if (known === undefined) {
          const inserted = await sql`
            insert into kafka_tutorial (key, status, payload_hash) values (${key}, 'pending', ${hash})
            on conflict (key) do nothing`;
          if (inserted.count === 1) {
            await work([message]);
            await sql`update kafka_tutorial set status = 'succeeded' where key = ${key}`;
          }
        }
        await consumer.commitOffsets([{ topic, partition, offset: String(BigInt(message.offset) + 1n) }]);
      },
    }),
  };
}
