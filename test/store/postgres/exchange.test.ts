import { describe, expect, test, vi } from 'vitest';
import { StoreError } from '../../../src/index.ts';
import type { Exchange, Exchanged, SettleRequest, Store } from '../../../src/store.ts';
import { createPostgresStore } from '../../../src/store/postgres/index.ts';
import {
  type Actor,
  actorOn,
  ALICE,
  BOB,
  LEASE,
  OTHER_PAYLOAD,
  PAYLOAD,
  TERMS,
} from '../../../src/store/contract/actor.ts';
import { released, succeeded } from '../../../src/store/contract/settlements.ts';
import { useDatabase } from '../../support/database.ts';
import { recordsOf } from '../support/records-of.ts';
import { useClient } from './client.ts';
import { controlledPostgresStore } from './controlled-store.ts';
import { holdKey } from './held-key.ts';

const { url, sql } = useDatabase();

const claimOf = (key: string, token = BOB) => ({ key, token, fingerprint: PAYLOAD });
const settleOf = (key: string, token = ALICE): SettleRequest => ({ key, token, settlement: succeeded() });

function exchangeOf({ exchange }: Store): Exchange {
  return exchange ?? expect.unreachable('the store has no exchange');
}

/** One claim with one settle. */
function exchanged({ store, scope }: Actor, claims: string[], settles: SettleRequest[]): Promise<Exchanged> {
  const terms = { scope, ...TERMS };
  return exchangeOf(store).send(
    claims.map((key) => claimOf(key)),
    settles,
    terms,
  );
}

// Each statement looks, and then waits for a lock: what was committed meanwhile decides, not what it saw.
describe.each(['read committed', 'repeatable read', 'serializable'] as const)(
  'When sessions are %s',
  (level) => {
    const workers = useClient(url, { max: 4, connection: { default_transaction_isolation: level } });
    const newActor = () => actorOn(controlledPostgresStore(sql, workers));
    const inHeld = (store: Store, { scope }: Actor) =>
      actorOn({ store, advance: () => Promise.resolve() }, scope);

    test('a settle that meets a takeover committed since it looked is left open, and is lost', async () => {
      const actor = newActor();
      await actor.claim('key', ALICE);
      await actor.advance(LEASE);
      const held = await holdKey(sql, actor.scope, 'key');
      const replies = exchanged(actor, ['new'], [settleOf('key')]);
      await held.waitedForBy(1);
      await inHeld(held.store, actor).claim('key', BOB);
      await held.commit();
      expect(await replies).toMatchObject({ claims: [{ kind: 'claimed' }], settles: [undefined] });
      expect(await actor.settle('key', ALICE, succeeded())).toBe('lost');
      expect(await actor.settle('key', BOB, succeeded())).toBe('settled');
    });

    test('a settle that meets a heartbeat committed since it looked is settled', async () => {
      const actor = newActor();
      await actor.claim('key', ALICE);
      const held = await holdKey(sql, actor.scope, 'key');
      const replies = exchanged(actor, ['new'], [settleOf('key')]);
      await held.waitedForBy(1);
      await inHeld(held.store, actor).extend('key', ALICE);
      await held.commit();
      expect(await replies).toMatchObject({ settles: ['settled'] });
    });

    test('a claim that meets a record committed since it looked is left open, and then answered', async () => {
      const actor = newActor();
      const held = await holdKey(sql, actor.scope, 'other');
      const other = inHeld(held.store, actor);
      await other.claim('key', ALICE, { fingerprint: OTHER_PAYLOAD });
      await actor.claim('mine', ALICE);
      const replies = exchanged(actor, ['key'], [settleOf('mine')]);
      await held.waitedForBy(1);
      await held.commit();
      // A stricter level runs it again, with another look.
      const claim = level === 'read committed' ? undefined : { kind: 'mismatch' };
      expect(await replies).toEqual({ claims: [claim], settles: ['settled'] });
      expect(await actor.claim('key', BOB)).toEqual({ kind: 'mismatch' });
    });
  },
);

describe('An exchange that meets a locked record', () => {
  const store = createPostgresStore(sql, 'handle_once');

  test('is refused in time, and has written nothing', async () => {
    const actor = actorOn(controlledPostgresStore(sql));
    for (const key of ['a', 'm', 'z']) await actor.claim(key, ALICE);
    const held = await holdKey(sql, actor.scope, 'm');
    const settles = ['a', 'm', 'z'].map((key) => settleOf(key));
    const refused = exchangeOf(store).send([claimOf('new')], settles, { scope: actor.scope, ...TERMS });
    await expect(refused).rejects.toMatchObject({
      retriable: true,
      mayHaveLanded: false,
      dataRefused: false,
    });
    await expect(refused).rejects.toThrow('SQLSTATE 55P03');
    await held.release();
    expect(await actor.claim('new', ALICE)).toMatchObject({ kind: 'claimed', attempts: 1 });
    expect(await actor.claim('a', BOB)).toMatchObject({ kind: 'in-flight' });
  });

  test('keeps neither the other settles nor the claims waiting', async () => {
    const actor = actorOn(controlledPostgresStore(sql));
    for (const key of ['a', 'm', 'z']) await actor.claim(key, ALICE);
    const held = await holdKey(sql, actor.scope, 'm');
    const onSentApart = vi.fn();
    const records = recordsOf(fromOne(store), { scope: actor.scope, ...TERMS }, { onSentApart });
    const settles = ['a', 'm', 'z'].map((key) => records.settle(settleOf(key)));
    const claims = ['new', 'z', 'm'].map((key) => records.claim(claimOf(key)));
    expect(await Promise.all(settles)).toEqual(['settled', 'locked', 'settled']);
    expect(await Promise.all(claims)).toMatchObject([{ kind: 'claimed' }, {}, { kind: 'in-flight' }]);
    expect(onSentApart).toHaveBeenCalledTimes(1);
    await held.release();
  });
});

/** The same, which exchanges what it can. */
function fromOne(store: Store): Store {
  return { ...store, exchange: { ...exchangeOf(store), from: 1 } };
}

// A deadlock is ended by the session that looks for it first.
const checksSoon = useClient(url, { max: 4, connection: { deadlock_timeout: '1s' } });
const checksLate = useClient(url, { max: 1, connection: { deadlock_timeout: '10min' } });

test('a deadlock counts no attempt: both kinds are sent again at once, and answered', async () => {
  const actor = actorOn(controlledPostgresStore(sql, checksSoon));
  await actor.claim('z', ALICE);
  const onSentApart = vi.fn();
  const records = recordsOf(fromOne(actor.store), { scope: actor.scope, ...TERMS }, { onSentApart });

  const session = await checksLate.reserve();
  await session`begin`;
  await session`update handle_once.records set attempts = attempts where scope = ${actor.scope} and key = 'z'`;
  const settled = records.settle(settleOf('z'));
  const claimed = records.claim(claimOf('a'));
  await expect.poll(() => waitingForLocks(), { timeout: 10_000, interval: 5 }).toBe(1);
  // The exchange has inserted this key, and waits for the record that is held here.
  await session`
    insert into handle_once.records (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
    values (${actor.scope}, 'a', gen_random_uuid(), '', 'pending', true, 1, now() + interval '1 hour', now())`;
  await session`rollback`;
  session.release();

  expect(await settled).toBe('settled');
  expect(await claimed).toEqual({ kind: 'claimed', attempts: 1, failures: 0, deadToken: null });
  expect(onSentApart).toHaveBeenCalledTimes(1);
  const [messages, error] = onSentApart.mock.calls[0] as [number, unknown];
  expect(messages).toBe(2);
  expect(error).toBeInstanceOf(StoreError);
  expect((error as StoreError).message).toContain('40P01');
});

async function waitingForLocks(): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return row?.count ?? 0;
}

test('records that are found by the claims of an exchange are not written', async () => {
  const actor = actorOn(controlledPostgresStore(sql));
  await actor.claim('settled', ALICE);
  await actor.settle('settled', ALICE, succeeded());
  await actor.claim('released', ALICE);
  await actor.settle('released', ALICE, released());
  const versions = () => sql`
    select key, xmin::text, ctid::text from handle_once.records where scope = ${actor.scope} order by key`;
  const before = await versions();
  const { claims } = await exchanged(actor, ['settled', 'released'], [settleOf('none')]);
  expect(claims).toMatchObject([{ kind: 'succeeded' }, undefined]);
  expect(await versions()).toEqual(before);
});
