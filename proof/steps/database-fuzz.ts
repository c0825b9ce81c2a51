import { fuzzDatabase } from '../fuzz/database.ts';
import { type Step, table } from '../step.ts';

const CASES = 100_000;
/** Each has cases of its own seed, and they share the database. */
const SHARDS = 4;

/** Arguments of any kind, on a real database. */
export const databaseFuzz: Step = {
  name: 'fuzz',
  title: 'Hostile input on a real database',
  async run({ sql, seed }) {
    const startedAt = performance.now();
    const seeds = Array.from({ length: SHARDS }, (_, shard) => seed + shard);
    const ends = await Promise.allSettled(
      seeds.map((shard) => fuzzDatabase(sql, { seed: shard, numRuns: CASES / SHARDS })),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    const failures = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
    const [row] = await sql<
      { records: number }[]
    >`select count(*)::integer as records from handle_once.records`;
    const figures = table(
      ['cases', 'seeds', 'calls of `handleOnce`', 'records made', 'not as documented', 'seconds'],
      [[CASES, seeds.join(', '), 2 * CASES, row?.records ?? 0, failures.length, seconds.toFixed(0)]],
    );
    const failed = failures.map((failure) => `\n\n\`\`\`text\n${failure}\n\`\`\``).join('');
    return { holds: failures.length === 0, text: figures + failed };
  },
};
