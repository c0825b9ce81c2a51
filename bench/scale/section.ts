import type postgres from 'postgres';
import { type Comparison, compareWithBase, withCosts } from '../compare.ts';
import { costMeter, costOfEach, costsAsRates } from '../costs.ts';
import { withDatabase } from '../database.ts';
import { interleave, type Rates } from '../interleave.ts';
import type { Section } from '../section.ts';
import { describeWaits, type Waits, watched } from './waits.ts';
import { type Share, startWorkers } from './workers.ts';

const ONE = '1 worker';
const IN_FLIGHT = 100;
/** As many times as long as contenders of other sections: processes do not begin and end at one moment. */
const LONGER = 4;

/** So many workers at once, and what their sessions were seen to wait for. */
interface Crew {
  readonly name: string;
  readonly count: number;
  readonly waits: Waits;
}

/** Worker processes on one database, and what their sessions wait for. */
export const scale: Section = ({ postgresUrl, sizes }) =>
  withDatabase(postgresUrl, async ({ url, sql }) => {
    const crews = [1, 2, 4, 8].map((count): Crew => ({
      name: count === 1 ? ONE : `${count} workers`,
      count,
      waits: new Map(),
    }));
    const most = Math.max(...crews.map(({ count }) => count));
    const workers = await startWorkers(url, most);
    try {
      const spent = await costMeter(sql);
      let handled = 0;

      async function run({ count, waits }: Crew, messages: number): Promise<Rates> {
        const before = await spent();
        const spell = { messages: Math.ceil(messages / count), inFlight: IN_FLIGHT };
        const shares = await watched(sql, waits, () => workers.run(count, spell));
        const all = spell.messages * count;
        handled += all;
        const client = shares.reduce((sum, share) => sum + share.client, 0) / count;
        const costs = { ...costOfEach(before, await spent(), all), client };
        return { fresh: all / secondsOf(shares), ...costsAsRates('fresh', costs) };
      }

      const warmUp: Crew = { name: 'warm-up', count: most, waits: new Map() };
      await run(warmUp, sizes.fill);
      await sql`vacuum analyze`;
      const { fresh = 0 } = await run(warmUp, sizes.fill);
      const messages = fresh * sizes.secondsEach * LONGER;
      const runners = crews.map((crew) => ({ name: crew.name, run: () => run(crew, messages) }));
      const measured = await interleave(runners, sizes.rounds);
      await expectOnRecord(sql, handled);
      const setting = { 'in flight in each': IN_FLIGHT };
      const rates = compareWithBase(setting, measured.get('fresh') ?? [], ONE);
      const comparison = withWaits(withCosts(rates, measured, 'fresh'), crews);
      return { facts: { rounds: sizes.rounds }, comparisons: [comparison] };
    } finally {
      await workers.stop();
    }
  });

function withWaits(comparison: Comparison, crews: readonly Crew[]): Comparison {
  const contenders = comparison.contenders.map((figures) => {
    const crew = crews.find(({ name }) => name === figures.contender);
    return crew === undefined ? figures : { ...figures, waits: describeWaits(crew.waits) };
  });
  return { ...comparison, contenders };
}

/** From the first start to the last end. */
function secondsOf(shares: readonly Share[]): number {
  const startedAt = Math.min(...shares.map((share) => share.startedAt));
  const endedAt = Math.max(...shares.map((share) => share.endedAt));
  return (endedAt - startedAt) / 1_000;
}

async function expectOnRecord(sql: postgres.Sql, messages: number): Promise<void> {
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*)::int as count from handle_once.records where state = 'succeeded'`;
  if (count !== messages) throw new Error(`${count} messages are on record, not ${messages}`);
}
