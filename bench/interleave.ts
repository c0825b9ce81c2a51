import type { Sample } from './compare.ts';

/** Messages per second by kind of message, such as fresh and duplicates, and what each of a kind cost. */
export type Rates = Readonly<Record<string, number>>;

export interface Runner {
  readonly name: string;
  readonly run: () => Promise<Rates>;
}

/** Lets each run once in every round, and starts each round with the next one: what drifts, drifts for all. */
export async function interleave(
  runners: readonly Runner[],
  rounds: number,
): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const rates = new Map<string, Map<string, number[]>>();
  for (let round = 0; round < rounds; round += 1) {
    const first = round % runners.length;
    for (const { name, run } of [...runners.slice(first), ...runners.slice(0, first)]) {
      for (const [kind, rate] of Object.entries(await run())) {
        const ofKind = rates.get(kind) ?? new Map<string, number[]>();
        rates.set(kind, ofKind.set(name, [...(ofKind.get(name) ?? []), rate]));
      }
    }
  }
  const order = runners.map(({ name }) => name);
  return new Map(
    [...rates].map(([kind, ofKind]) => [
      kind,
      order.flatMap((contender) => {
        const measured = ofKind.get(contender);
        return measured === undefined ? [] : [{ contender, rates: measured }];
      }),
    ]),
  );
}
