import { describe, expect, test } from 'vitest';
import { useDatabase } from '../../support/database.ts';
import {
  type Actor,
  actorOn,
  ALICE,
  BOB,
  LEASE,
  OTHER_PAYLOAD,
} from '../../../testing/contracts/store/actor.ts';
import { released, succeeded } from '../../../testing/contracts/store/settlements.ts';
import { useClient } from './client.ts';
import { controlledPostgresStore } from './controlled-store.ts';
import { holdKey } from './held-key.ts';

const { url, sql } = useDatabase();

// Each statement looks, and then waits for a lock: what was committed meanwhile decides, not what it saw.
describe.each(['read committed', 'repeatable read', 'serializable'] as const)(
  'When sessions are %s',
  (level) => {
    const workers = useClient(url, { max: 4, connection: { default_transaction_isolation: level } });
    const newActor = () => actorOn(controlledPostgresStore(sql, workers));

    async function overtaken<Reply>(
      late: (actor: Actor) => Promise<Reply>,
      early: (actor: Actor) => Promise<unknown>,
    ): Promise<[Reply, Actor]> {
      const actor = newActor();
      await actor.claim('key', ALICE);
      await actor.advance(LEASE);
      const held = await holdKey(sql, actor.scope, 'key');
      const reply = late(actor);
      await held.waitedForBy(1);
      await early(actorOn({ store: held.store, advance: () => Promise.resolve() }, actor.scope));
      await held.commit();
      return [await reply, actor];
    }

    test('a settle that meets a takeover committed since it looked is lost, and changes nothing', async () => {
      const [reply, actor] = await overtaken(
        (late) => late.settle('key', ALICE, succeeded('"slow"')),
        (early) => early.claim('key', BOB),
      );
      expect(reply).toBe('lost');
      expect(await actor.claim('key', BOB)).toMatchObject({
        kind: 'claimed',
        attempts: 2,
        failures: 0,
        deadToken: null,
      });
    });

    test('a heartbeat that meets a takeover committed since it looked is lost, and prolongs nothing', async () => {
      const [reply, actor] = await overtaken(
        (late) => late.extend('key', ALICE, 100 * LEASE),
        (early) => early.claim('key', BOB),
      );
      expect(reply).toBe('lost');
      await actor.advance(LEASE);
      expect(await actor.claim('key', ALICE, { mayOwnSuspects: true })).toMatchObject({
        kind: 'claimed',
        deadToken: BOB,
      });
    });

    test('a heartbeat that meets its own settle committed since it looked prolongs nothing', async () => {
      const [reply, actor] = await overtaken(
        (late) => late.extend('key', ALICE, 100 * LEASE),
        (early) => early.settle('key', ALICE, released(null, LEASE)),
      );
      expect(reply).toBe('lost');
      await actor.advance(LEASE);
      expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'claimed', deadToken: null });
    });

    test('a settle that meets its own first copy committed since it looked is settled, and changes nothing', async () => {
      const [reply, actor] = await overtaken(
        (late) => late.settle('key', ALICE, succeeded('"second"')),
        (early) => early.settle('key', ALICE, succeeded('"first"')),
      );
      expect(reply).toBe('settled');
      expect(await actor.claim('key', BOB)).toMatchObject({ kind: 'succeeded', result: '"first"' });
    });

    test('a takeover that meets a settle committed since it looked is answered from it', async () => {
      const [reply] = await overtaken(
        (late) => late.claim('key', BOB),
        (early) => early.settle('key', ALICE, succeeded('"slow"')),
      );
      expect(reply).toEqual({ kind: 'succeeded', attempts: 1, result: '"slow"', resultOmitted: null });
    });

    test('a takeover that meets a heartbeat committed since it looked leaves the lease to its owner', async () => {
      const [reply, actor] = await overtaken(
        (late) => late.claim('key', BOB),
        (early) => early.extend('key', ALICE),
      );
      expect(reply).toMatchObject({ kind: 'in-flight', attempts: 1 });
      expect(await actor.settle('key', ALICE, succeeded())).toBe('settled');
    });

    test('a claim that meets another payload committed since it looked is a mismatch', async () => {
      const actor = newActor();
      const held = await holdKey(sql, actor.scope, 'other');
      const inHeld = actorOn({ store: held.store, advance: () => Promise.resolve() }, actor.scope);
      await inHeld.claim('key', ALICE, { fingerprint: OTHER_PAYLOAD });
      const reply = actor.claim('key', BOB);
      await held.waitedForBy(1);
      await held.commit();
      expect(await reply).toEqual({ kind: 'mismatch' });
    });
  },
);
