import { expect, test } from 'vitest';
import type { PostgresClient } from '../../../src/postgres/postgres-client.ts';
import type { ClaimReply } from '../../../src/store.ts';
import { createPostgresStore } from '../../../src/store/postgres/index.ts';
import { useDatabase } from '../../support/database.ts';
import {
  type Actor,
  actorOn,
  ALICE,
  BOB,
  HOUR,
  OTHER_PAYLOAD,
  PAYLOAD,
  TERMS,
} from '../../../testing/contracts/store/actor.ts';
import { failed, released, succeeded } from '../../../testing/contracts/store/settlements.ts';
import { controlledPostgresStore } from './controlled-store.ts';

const { sql } = useDatabase();

interface Claimed {
  readonly replies: readonly ClaimReply[];
  readonly transactionId: string | null;
}

/** Claims in a transaction, and gives the id that Postgres gave it: none to one that has written and locked nothing. */
async function claimInTransaction(scope: string, fingerprint: string): Promise<Claimed> {
  return sql.begin(async (transaction) => {
    const client: PostgresClient = {
      unsafe: (...query) => transaction.unsafe(...query),
      begin: () => Promise.reject(new Error('a duplicate needs no transaction')),
    };
    const requests = [{ key: 'key', token: BOB, fingerprint }];
    const replies = await createPostgresStore(client, 'handle_once').claim(requests, { scope, ...TERMS });
    const [row] = await transaction<{ id: string | null }[]>`
      select pg_current_xact_id_if_assigned()::text as id`;
    return { replies, transactionId: row?.id ?? null };
  });
}

async function rowVersion(scope: string): Promise<unknown> {
  return sql`select xmin::text, xmax::text, ctid::text, t.* from handle_once.records t where scope = ${scope}`;
}

const SITUATIONS: [
  name: string,
  reach: (actor: Actor) => Promise<unknown>,
  reply: object,
  payload?: string,
][] = [
  ['an in-flight key', () => Promise.resolve(), { kind: 'in-flight' }],
  ['a succeeded key', (actor) => actor.settle('key', ALICE, succeeded()), { kind: 'succeeded' }],
  ['a failed key', (actor) => actor.settle('key', ALICE, failed()), { kind: 'failed' }],
  ['a key that backs off', (actor) => actor.settle('key', ALICE, released(null, HOUR)), { kind: 'released' }],
  ['a key with another payload', () => Promise.resolve(), { kind: 'mismatch' }, OTHER_PAYLOAD],
];

test.each(SITUATIONS)(
  'a duplicate of %s writes nothing and locks nothing',
  async (_, reach, reply, payload) => {
    const actor = actorOn(controlledPostgresStore(sql));
    await actor.claim('key', ALICE);
    await reach(actor);
    const before = await rowVersion(actor.scope);
    const { replies, transactionId } = await claimInTransaction(actor.scope, payload ?? PAYLOAD);
    expect(replies).toMatchObject([reply]);
    expect(transactionId).toBeNull();
    expect(await rowVersion(actor.scope)).toEqual(before);
  },
);

test('a fresh claim is seen to write by the same means', async () => {
  const { replies, transactionId } = await claimInTransaction('fresh', PAYLOAD);
  expect(replies).toMatchObject([{ kind: 'claimed' }]);
  expect(transactionId).not.toBeNull();
});

test('a duplicate does not wait for a transaction that has locked the record', async () => {
  const actor = actorOn(controlledPostgresStore(sql));
  await actor.claim('key', ALICE);
  const session = await sql.reserve();
  await session`begin`;
  await session`select from handle_once.records where scope = ${actor.scope} for update`;
  expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'in-flight' });
  await session`rollback`;
  session.release();
});
