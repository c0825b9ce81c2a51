import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { arraysOf } from '../../src/postgres/batch.ts';
import type { DatabaseClient } from '../../src/postgres/database-client.ts';
import { toStoreError } from '../../src/postgres/failure.ts';
import type { MaintenanceStatements } from './statements/maintenance.ts';
import { beginReadCommitted } from '../../src/postgres/transaction.ts';
import { Tally } from './census.ts';
import { run } from './run.ts';

/** How long a walk that makes no sign belongs to its runner. A step and its pause take milliseconds. */
const LEASE_MS = 60_000;

/** A crash costs a second of reading pages again; with very many scopes, whose counts are kept too, some more. */
const KEEP_EVERY_MS = 1_000;
const RESTS_PER_KEEP = 20;
const LONGEST_REST_MS = 20_000;

/** The columns of a count, as its statement takes them. */
const CENSUS = ['scope', 'state', 'records', 'abandoned', 'oldestMs'] as const;

/** How far a walk has come. */
export interface Progress {
  /** The table that is walked, and the page that is next. Empty at the beginning. */
  readonly leaf: string;
  readonly page: number;
  readonly tally: Tally;
}

/**
 * Becomes the runner, the one process that walks as long as it makes signs. Undefined: another one walks, or, unless
 * `isForced`, the next walk is not due.
 */
export async function takeWalk(client: DatabaseClient, statements: MaintenanceStatements, isForced: boolean) {
  const token: string = randomUUID();
  const lease = String(LEASE_MS);
  const [row] = await run(client, statements.take, [token, lease, String(isForced)]);
  if (row === undefined) return undefined;

  const from = fromText(row[0] ?? null);
  const { tally } = from;
  let at = from;
  let keptAt = performance.now();
  let keepAfterMs = KEEP_EVERY_MS;
  /** A finish whose answer was lost may have ended the walk, which must not begin again at its end. */
  let isFinishing = false;

  async function keep(): Promise<boolean> {
    const startedAt = performance.now();
    const rows = await run(client, statements.keep, [token, lease, toText(at)]);
    keptAt = performance.now();
    keepAfterMs = Math.min(Math.max(KEEP_EVERY_MS, RESTS_PER_KEEP * (keptAt - startedAt)), LONGEST_REST_MS);
    return rows.length > 0;
  }

  return {
    /** Fences each step. */
    token,
    from,
    /** Goes on to a page, and records that each second. False: another runner has taken over. */
    async reached(leaf: string, page: number): Promise<boolean> {
      at = { leaf, page, tally };
      return performance.now() - keptAt < keepAfterMs || (await keep());
    },
    /**
     * Puts the census on record; the next walk is due `restMs` later. Resolves with how many records the walk has
     * purged, or undefined: another runner has taken over.
     */
    async finish(restMs: number): Promise<number | undefined> {
      isFinishing = true;
      try {
        return await beginReadCommitted(client, async (queries) => {
          const [ended] = await queries.query(statements.finish, [token, String(restMs)]);
          if (ended === undefined) return undefined;
          await queries.query(statements.count, arraysOf(tally.counts(), CENSUS));
          await queries.query(statements.forget, []);
          return Number(ended[0]);
        });
      } catch (error) {
        throw toStoreError(error, statements.finish, 'maintain');
      }
    },
    /** Lets another runner, or a later call, go on from here. How many records the walk has purged so far. */
    async leave(): Promise<number> {
      if (!isFinishing) await keep();
      const [row] = await run(client, statements.leave, [token]);
      return Number(row?.[0] ?? 0);
    },
  };
}

export type Runner = NonNullable<Awaited<ReturnType<typeof takeWalk>>>;

function toText({ leaf, page, tally }: Progress): string {
  return JSON.stringify({ leaf, page, counts: tally.counts() });
}

const progress = lazily(() =>
  z.object({
    leaf: z.string(),
    page: z.int(),
    counts: z.array(
      z.object({
        ...{ scope: z.string(), state: z.string() },
        ...{ records: z.number(), abandoned: z.number(), oldestMs: z.number() },
      }),
    ),
  }),
);

/** From the beginning where it cannot be read: what was deleted is counted apart. */
function fromText(text: string | null): Progress {
  const { leaf, page, counts } = progress().safeParse(parsed(text)).data ?? { leaf: '', page: 0, counts: [] };
  return { leaf, page, tally: new Tally(counts) };
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}
