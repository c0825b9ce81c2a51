import { randomUUID } from 'node:crypto';
import type { Contender, Payload } from './contender.ts';

const NOTE = 'x'.repeat(700);

function payloadOf(key: string): Payload {
  return { orderId: key, cents: 4_200, note: NOTE };
}

/** Handles every key with a fixed number in flight. Returns messages per second. */
async function drive(contender: Contender, keys: readonly string[], inFlight: number): Promise<number> {
  const pending = keys[Symbol.iterator]();
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (const key of pending) await contender.handle(key, payloadOf(key));
    }),
  );
  return keys.length / ((performance.now() - startedAt) / 1_000);
}

export interface Figures {
  readonly fresh: number;
  readonly duplicates: number;
}

/** One round: keys that are new, then the same keys again. Fails when a message is not on record. */
export async function measure(contender: Contender, messages: number, inFlight: number): Promise<Figures> {
  const before = await contender.succeeded();
  const keys = Array.from({ length: messages }, () => randomUUID());
  const fresh = await drive(contender, keys, inFlight);
  const recorded = (await contender.succeeded()) - before;
  if (recorded !== messages) throw new Error(`${contender.name} has ${recorded} of ${messages} on record`);
  return { fresh, duplicates: await drive(contender, keys, inFlight) };
}
