import type { DatabaseClient, DatabaseRow } from '../../src/postgres/database-client.ts';
import { leavesStatement } from '../../src/postgres/statements/leaves.ts';
import { purgeStatement } from './statements/purge.ts';
import { PAGES_PER_STEP, placesOf, rest } from './pages.ts';
import { run } from './run.ts';
import type { Runner } from './runner.ts';

export interface WalkOptions {
  readonly client: DatabaseClient;
  /** Quoted, with their schema. */
  readonly table: string;
  readonly archive: string | undefined;
  readonly abandonedAfterMs: number;
  readonly purgeAbandonedAfterMs: number;
  readonly runner: Runner;
  readonly maintenance: string;
  readonly failures: string;
  /** Asked before each step, with how many records were deleted by this call. */
  readonly mayGoOn: (purged: number) => boolean;
}

/** How a walk ended. `lost`: another runner goes on. */
export type WalkEnd = 'finished' | 'stopped' | 'lost';

/** Walks through all pages of all tables, from where the last runner left. */
export async function walk(options: WalkOptions): Promise<WalkEnd> {
  const { client, table, runner, mayGoOn } = options;
  const { tally, leaf: firstLeaf, page: firstPage } = runner.from;
  let purged = 0;
  for (const { leaf, pages } of await leavesOf(client, table)) {
    if (isBefore(leaf, firstLeaf)) continue;
    for (let page = leaf === firstLeaf ? firstPage : 0; page < pages; page += PAGES_PER_STEP) {
      if (!mayGoOn(purged)) return 'stopped';
      const startedAt = performance.now();
      const found = await step(options, leaf, page);
      tally.add(found.remaining);
      purged += found.purged;
      const tookMs = performance.now() - startedAt;
      if (!(await runner.reached(leaf, page + PAGES_PER_STEP))) return 'lost';
      await rest(tookMs, () => mayGoOn(purged));
    }
  }
  return 'finished';
}

interface Leaf {
  readonly leaf: string;
  readonly pages: number;
}

async function leavesOf(client: DatabaseClient, table: string): Promise<Leaf[]> {
  const rows = await run(client, leavesStatement(), [table]);
  return rows.map(([leaf, pages]) => ({ leaf: leaf ?? '', pages: Number(pages) }));
}

/** As the database orders them. */
function isBefore(leaf: string, other: string): boolean {
  return Buffer.compare(Buffer.from(leaf), Buffer.from(other)) < 0;
}

async function step(
  { client, archive, maintenance, failures, runner, ...options }: WalkOptions,
  leaf: string,
  page: number,
): Promise<{ readonly remaining: readonly DatabaseRow[]; readonly purged: number }> {
  const times = [options.abandonedAfterMs, options.purgeAbandonedAfterMs].map(String);
  const statement = purgeStatement({ leaf, archive, maintenance, failures });
  const rows = await run(client, statement, [...placesOf(page), ...times, runner.token]);
  const [purged] = rows.filter(([scope]) => scope === null);
  return { remaining: rows.filter(([scope]) => scope !== null), purged: Number(purged?.[2] ?? 0) };
}
