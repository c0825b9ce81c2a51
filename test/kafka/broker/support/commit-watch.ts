import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import type { Offsets } from '../../../support/kafka-offsets.ts';

export interface CommitWatchOptions {
  readonly sql: postgres.Sql;
  /** Of the group's records. */
  readonly scope: string;
  readonly topic: string;
  readonly committed: () => Promise<Offsets>;
  /** How long a step back has to last. Default: 5,000 ms. */
  readonly lastingMs?: number;
}

/** Compares what a group has committed with its records, and with what it had committed before. */
export interface CommitWatch {
  /** Commits that passed a message that is neither succeeded nor failed. */
  readonly passed: readonly string[];
  /** Commits that went back, and stayed there. */
  readonly wentBack: readonly string[];
  readonly looks: () => number;
  look(): Promise<void>;
}

const AGAIN_AFTER_MS = 100;

export function watchCommits({
  sql,
  scope,
  topic,
  committed,
  lastingMs = 5_000,
}: CommitWatchOptions): CommitWatch {
  const passed: string[] = [];
  const wentBack: string[] = [];
  let before: Offsets = [];
  let looks = 0;

  function stepsBack(now: Offsets): string[] {
    return now.flatMap((offset, partition) => {
      const earlier = before[partition] ?? -1;
      return offset < earlier ? [`partition ${partition} went from ${earlier} to ${offset}`] : [];
    });
  }

  /**
   * What is committed. A coordinator that has just taken over answers with what it knows to be on all replicas, which
   * for a moment is less than its predecessor knew: so a step back is looked at again, until it has lasted.
   */
  async function lastingCommits(): Promise<Offsets> {
    const deadline = performance.now() + lastingMs;
    for (;;) {
      const now = await committed();
      if (stepsBack(now).length === 0 || performance.now() > deadline) return now;
      await sleep(AGAIN_AFTER_MS);
    }
  }

  async function look(): Promise<void> {
    // A record is settled before its offset is committed, and so is seen when it is read after the commit.
    const now = await lastingCommits();
    const known = now.map((_, partition) => Math.max(before[partition] ?? 0, 0));
    const open = await sql<{ place: string; state: string | null }[]>`
      select partition - 1 || '-' || offset_ as place, records.state
      from unnest(${known}::bigint[], ${now}::bigint[]) with ordinality as commits (known, upto, partition)
      cross join generate_series(known, upto - 1) as offset_
      left join handle_once.records
        on records.scope = ${scope} and records.key = ${topic}::text || '-' || partition - 1 || '-' || offset_
      where records.state is null or records.state = 'pending'`;
    passed.push(...open.map(({ place, state }) => `${place} is committed and ${state ?? 'has no record'}`));
    wentBack.push(...stepsBack(now));
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
