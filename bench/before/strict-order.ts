import { type Comparison, comparisonsTo } from '../compare.ts';
import { expectCount } from '../core/measure.ts';
import { type Measured, runners } from '../core/measured.ts';
import { createWork } from '../core/work.ts';
import { type CostMeter, costMeter, costOfEach, costsAsRates } from '../costs.ts';
import type { Database } from '../database.ts';
import { interleave, type Rates } from '../interleave.ts';
import type { Sizes } from '../sizes.ts';
import type { Build } from './build.ts';
import { fifoGroups } from './lanes/fifo-groups.ts';
import { kafkaKeys } from './lanes/kafka-keys.ts';
import type { Adapter } from './lanes/prepare.ts';

const LANES = [1, 50];
const ADAPTERS: Readonly<Record<string, Adapter>> = {
  'groups of a FIFO queue': fifoGroups,
  'keys of a Kafka partition': kafkaKeys,
};

/** Messages in lanes, each of which waits for the one before it, handed over at once: no broker has a part in it. */
export async function strictOrder(
  { sql }: Database,
  builds: readonly Build[],
  { rounds, secondsEach }: Sizes,
): Promise<Comparison[]> {
  const spent = await costMeter(sql);
  const comparisons: Comparison[] = [];
  for (const [kind, adapter] of Object.entries(ADAPTERS)) {
    const contenders: Measured[] = [];
    for (const build of builds) contenders.push(await inOrder(sql, spent, build, adapter));
    for (const lanes of LANES) {
      await sql`vacuum analyze`;
      const ready = await runners(contenders, lanes, secondsEach);
      const setting = { 'strict order': kind, lanes };
      comparisons.push(...comparisonsTo(setting, await interleave(ready, rounds), builds[0]?.name ?? ''));
    }
  }
  return comparisons;
}

async function inOrder(
  sql: Database['sql'],
  spent: CostMeter,
  build: Build,
  adapter: Adapter,
): Promise<Measured> {
  const { name, schema } = build;
  const { createHandleOnce } = await build.core();
  const work = await createWork(sql, 'empty', name);
  const handleOnce = createHandleOnce({ sql, scope: 'lanes', databaseSchema: schema });
  const prepare = await adapter(build, handleOnce, work.run);

  async function measure(messages: number, lanes: number): Promise<Rates> {
    const handOver = await prepare(messages, lanes);
    const doneBefore = await work.done();
    const before = await spent();
    const startedAt = performance.now();
    await handOver();
    const rate = messages / ((performance.now() - startedAt) / 1_000);
    const costs = costOfEach(before, await spent(), messages);
    expectCount({ name }, 'done', (await work.done()) - doneBefore, messages);
    return { fresh: rate, ...costsAsRates('fresh', costs) };
  }

  return { name, measure };
}
