import { type Comparison, comparisonsTo } from '../compare.ts';
import type { Contender } from '../core/contender.ts';
import { createEffects } from '../core/effects.ts';
import { ownContender } from '../core/handle-once.ts';
import { measuredFresh, runners } from '../core/measured.ts';
import type { Database } from '../database.ts';
import { interleave } from '../interleave.ts';
import type { Sizes } from '../sizes.ts';
import type { Build } from './build.ts';

const IN_FLIGHT = [1, 10, 100];

/** A handler of one INSERT that commits with its record. */
export async function inTransactions(
  { sql }: Database,
  builds: readonly Build[],
  { rounds, secondsEach }: Sizes,
): Promise<Comparison[]> {
  const contenders: Contender[] = [];
  for (const { name, schema, core } of builds) {
    const work = await createEffects(sql, `${name}, in a transaction`);
    contenders.push(
      await ownContender(name, { sql, work, schema, core }, (handleOnce, key, payload) =>
        handleOnce.inTransaction(key, payload, (_, __, tx) => work.insert(tx)),
      ),
    );
  }
  const comparisons: Comparison[] = [];
  for (const inFlight of IN_FLIGHT) {
    await sql`vacuum analyze`;
    const ready = await runners(contenders.map(measuredFresh), inFlight, secondsEach);
    const setting = { handler: 'one INSERT, inTransaction', inFlight };
    comparisons.push(...comparisonsTo(setting, await interleave(ready, rounds), builds[0]?.name ?? ''));
  }
  return comparisons;
}
