import { randomUUID } from 'node:crypto';
import { costOfEach, costsAsRates } from '../costs.ts';
import type { Rates } from '../interleave.ts';
import type { Contender, Payload } from './contender.ts';

/** Makes the next key. */
export type Keys = () => string;

const NOTE = 'x'.repeat(700);

export function payloadOf(key: string): Payload {
  return { orderId: key, cents: 4_200, note: NOTE };
}

/** Handles every key with a fixed number in flight. */
export async function drive(
  kind: 'fresh' | 'duplicates' | 'mixed',
  { handle, spent }: Contender,
  keys: readonly string[],
  inFlight: number,
): Promise<Rates> {
  const pending = keys[Symbol.iterator]();
  const before = await spent?.();
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (const key of pending) await handle(key, payloadOf(key));
    }),
  );
  const rate = keys.length / ((performance.now() - startedAt) / 1_000);
  const after = await spent?.();
  const costs = before === undefined || after === undefined ? {} : costOfEach(before, after, keys.length);
  return { [kind]: rate, ...costsAsRates(kind, costs) };
}

export interface Load {
  readonly messages: number;
  readonly inFlight: number;
  readonly keys?: Keys;
}

/** Keys that are new. Fails unless each is on record and its work was done once. */
export async function measureFresh(contender: Contender, load: Load): Promise<Rates> {
  return (await fresh(contender, load)).rates;
}

/** Keys that are new, then the same keys again. Fails also when the second time did any work. */
export async function measureBoth(contender: Contender, load: Load): Promise<Rates> {
  const { keys, rates } = await fresh(contender, load);
  const done = await contender.work.done();
  const again = await drive('duplicates', contender, keys, load.inFlight);
  expectCount(contender, 'done twice', (await contender.work.done()) - done, 0);
  return { ...rates, ...again };
}

async function fresh(
  contender: Contender,
  { messages, inFlight, keys: next = randomUUID }: Load,
): Promise<{ keys: readonly string[]; rates: Rates }> {
  const keys = Array.from({ length: messages }, () => next());
  const rates = await onceEach(contender, keys, () => drive('fresh', contender, keys, inFlight));
  return { keys, rates };
}

/** Fails unless each of the new keys that `run` handles is on record, and its work was done once. */
export async function onceEach(
  contender: Contender,
  keys: readonly string[],
  run: () => Promise<Rates>,
): Promise<Rates> {
  const doneBefore = await contender.work.done();
  const rates = await run();
  expectCount(contender, 'on record', await contender.succeeded(keys), keys.length);
  expectCount(contender, 'done', (await contender.work.done()) - doneBefore, keys.length);
  return rates;
}

export function expectCount(
  { name }: Pick<Contender, 'name'>,
  what: string,
  count: number,
  expected: number,
): void {
  if (count !== expected) throw new Error(`${name} has ${count} messages ${what}, not ${expected}`);
}
