import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { ClaimReply } from '../../src/store.ts';
import { suspectFrom } from '../../src/store/suspects.ts';
import { useDatabase } from '../support/database.ts';
import { type Actor, actorOn, LEASE, TERMS } from '../../testing/contracts/store/actor.ts';
import { deferred, released, takenBack } from '../../testing/contracts/store/settlements.ts';
import type { MakeStore } from './contract.ts';
import { controlledPostgresStore } from './postgres/controlled-store.ts';
import { controlledMemoryStore } from './support/controlled-memory-store.ts';

/** What an end of an attempt does to the counters of its record. */
interface Ending {
  /** Its row in docs/tuning.md. */
  readonly name: string;
  readonly attempts: 'same' | '- 1';
  readonly failures: 'same' | '+ 1';
  readonly deaths: 'same' | '+ 1' | '0';
  readonly reach: (actor: Actor, key: string, token: string) => Promise<unknown>;
}

const thrown = released(null, 0);

/** Those after which the message can run again. */
const ENDINGS: readonly Ending[] = [
  {
    name: 'thrown',
    ...{ attempts: 'same', failures: '+ 1', deaths: '0' },
    reach: (actor, key, token) => actor.settle(key, token, thrown),
  },
  {
    name: 'interrupted',
    ...{ attempts: '- 1', failures: 'same', deaths: 'same' },
    reach: (actor, key, token) => actor.settle(key, token, takenBack()),
  },
  {
    name: 'deferred',
    ...{ attempts: '- 1', failures: 'same', deaths: '0' },
    reach: (actor, key, token) => actor.settle(key, token, deferred()),
  },
  {
    name: 'worker died',
    ...{ attempts: 'same', failures: 'same', deaths: '+ 1' },
    reach: (actor) => actor.advance(LEASE),
  },
];

const MAX_LENGTH = 5;

function sequences(length: number): Ending[][] {
  if (length === 0) return [[]];
  return sequences(length - 1).flatMap((before) => ENDINGS.map((ending) => [...before, ending]));
}

/** What the table says that the claim after these endings is answered with. */
function expectedAfter(endings: readonly Ending[]): Partial<ClaimReply> {
  let [attempts, failures, deaths] = [0, 0, 0];
  for (const ending of endings) {
    attempts += ending.attempts === 'same' ? 1 : 0;
    failures += ending.failures === 'same' ? 0 : 1;
    if (ending.deaths === '0') deaths = 0;
    if (ending.deaths === '+ 1') deaths += 1;
  }
  const hasDied = endings.at(-1)?.name === 'worker died';
  if (failures >= TERMS.maxAttempts) return { kind: 'failed', reason: 'attempts-exhausted', attempts };
  if (hasDied && deaths >= TERMS.maxDeaths) return { kind: 'failed', reason: 'deaths-exhausted', attempts };
  if (deaths >= suspectFrom(TERMS.maxDeaths)) return { kind: 'suspect', attempts };
  return {
    kind: 'claimed',
    attempts: attempts + 1,
    failures,
    deadToken: hasDied ? (expect.any(String) as string) : null,
  };
}

/** Whether the record fails on the way. */
function endsEarly(endings: readonly Ending[]): boolean {
  return endings.some((_, index) => index > 0 && expectedAfter(endings.slice(0, index)).kind === 'failed');
}

const { sql } = useDatabase();

const STORES: [string, MakeStore, number][] = [
  ['memory', controlledMemoryStore, MAX_LENGTH],
  ['Postgres', () => controlledPostgresStore(sql), 3],
];

describe.each(STORES)('the %s store counts what the table says', (_, makeStore, longest) => {
  const lengths = Array.from({ length: longest }, (__, index) => index + 1);

  test.each(lengths)('after %i attempts, however each of them ended', async (length) => {
    for (const endings of sequences(length).filter((sequence) => !endsEarly(sequence))) {
      const actor = actorOn(makeStore());
      for (const { reach } of endings) {
        const token = randomUUID();
        await actor.claim('key', token, { mayOwnSuspects: true });
        await reach(actor, 'key', token);
      }
      const names = endings.map(({ name }) => name).join(', ');
      expect(await actor.claim('key', randomUUID()), names).toMatchObject(expectedAfter(endings));
    }
  });
});

test('the table is the one in the docs', async () => {
  const docs = await readFile(new URL('../../docs/tuning.md', import.meta.url), 'utf8');
  const rows = docs.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  for (const { name, attempts, failures, deaths } of ENDINGS) {
    const row = rows.find((cells) => cells[1] === name);
    expect(row?.slice(3, 6), name).toEqual([attempts, failures, deaths]);
  }
});
