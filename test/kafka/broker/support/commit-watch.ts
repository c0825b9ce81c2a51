import type postgres from 'postgres';
import type { Offsets } from '../../../support/kafka-offsets.ts';

export interface CommitWatchOptions {
  readonly sql: postgres.Sql;
  /** Of the group's records. */
  readonly scope: string;
  readonly topic: string;
  readonly committed: () => Promise<Offsets>;
}

/** Compares what a group has committed with its records, and with what it had committed before. */
export interface CommitWatch {
  /** Commits that passed a message that is neither succeeded nor failed. */
  readonly passed: readonly string[];
  /** Commits that went back. */
  readonly wentBack: readonly string[];
  readonly looks: () => number;
  look(): Promise<void>;
}

export function watchCommits({ sql, scope, topic, committed }: CommitWatchOptions): CommitWatch {
  const passed: string[] = [];
  const wentBack: string[] = [];
  let before: Offsets = [];
  let looks = 0;

  async function look(): Promise<void> {
    // A record is settled before its offset is committed, and so is seen when it is read after the commit.
    const now = await committed();
    const known = now.map((_, partition) => Math.max(before[partition] ?? 0, 0));
    const open = await sql<{ place: string; state: string | null }[]>`
      select partition - 1 || '-' || offset_ as place, records.state
      from unnest(${known}::bigint[], ${now}::bigint[]) with ordinality as commits (known, upto, partition)
      cross join generate_series(known, upto - 1) as offset_
      left join handle_once.records
        on records.scope = ${scope} and records.key = ${topic}::text || '-' || partition - 1 || '-' || offset_
      where records.state is null or records.state = 'pending'`;
    passed.push(...open.map(({ place, state }) => `${place} is committed and ${state ?? 'has no record'}`));
    for (const [partition, offset] of now.entries()) {
      const earlier = before[partition] ?? -1;
      if (offset < earlier) wentBack.push(`partition ${partition} went from ${earlier} to ${offset}`);
    }
    before = now;
    looks += 1;
  }

  let underWay: Promise<void> = Promise.resolve();
  return {
    passed,
    wentBack,
    looks: () => looks,
    /** One after the other: each compares with the one before. */
    look() {
      underWay = underWay.catch(() => undefined).then(look);
      return underWay;
    },
  };
}
