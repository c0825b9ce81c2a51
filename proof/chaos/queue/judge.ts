import type { Check } from '../report.ts';
import { CAUSES, type Cause, causeOfNext, type Evidence, type HandlerRun, isHit, runsOf } from './runs.ts';
import type { Consumer } from './settings.ts';
import type { Effect } from './tables.ts';

/** What is left of a case once everything has ended. */
export interface Remains extends Evidence {
  readonly consumer: Consumer;
  readonly messages: number;
  readonly effects: readonly Effect[];
}

/** The figures of a row. */
export interface Verdict {
  /** Messages without an effect. */
  readonly lost: readonly string[];
  /** Messages with more effects than one, without and with a documented cause of each. */
  readonly doubled: readonly string[];
  readonly allowed: readonly string[];
  /** Further runs, by cause. */
  readonly causes: ReadonlyMap<Cause, number>;
  /** Of handler runs. */
  readonly runs: number;
  /** Milliseconds until a message that a fault has hit succeeded. */
  readonly recoveries: readonly number[];
  readonly checks: readonly Check[];
}

/** Causes that can leave an effect behind: the attempt was not over when its worker, or the way to its record, was. */
const LEAVES_EFFECT: readonly Cause[] = CAUSES.filter((cause) => cause.startsWith('its worker'));

export function judge(remains: Remains): Verdict {
  const runs = runsOf(remains);
  const effectOf = new Map(remains.effects.map((effect) => [effect.run, effect]));
  const runsByMessage = grouped(runs);
  const numbers = Array.from({ length: remains.messages }, (_, message) => message);

  const causes = new Map<Cause, number>();
  const unexplained: string[] = [];
  const afterTheLook: string[] = [];
  const doubled: string[] = [];
  const allowed: string[] = [];
  for (const [message, own] of runsByMessage) {
    let isExplained = remains.consumer === 'handle-once';
    for (const [index, run] of own.slice(0, -1).entries()) {
      const next = own[index + 1] as HandlerRun;
      const effect = effectOf.get(run.run);
      const isOnRecord = effect !== undefined && remains.consumer === 'in-transaction';
      const cause = isOnRecord
        ? undefined
        : causeOfNext(inAttempt(run, own[index - 1]), next.beganAt, remains);
      if (cause === undefined) unexplained.push(describe(run, next));
      else causes.set(cause, (causes.get(cause) ?? 0) + 1);
      if (effect === undefined) continue;
      if (cause === undefined || !LEAVES_EFFECT.includes(cause)) isExplained = false;
      if (effect.lookedAt > next.beganAt) afterTheLook.push(describe(run, next));
    }
    const count = own.filter(({ run }) => effectOf.has(run)).length;
    if (count > 1) (isExplained ? allowed : doubled).push(`message ${message}: ${count} effects`);
  }

  const withEffect = new Set(remains.effects.map(({ message }) => message));
  const lost = numbers.filter((message) => !withEffect.has(message)).map((message) => `message ${message}`);
  return {
    ...{ lost, doubled, allowed, causes, runs: runs.length, recoveries: recoveriesOf(runs, remains) },
    checks: [
      { rule: 'every message had its effect', looked: remains.messages, violations: lost },
      {
        rule: 'no effect is doubled but for a documented cause',
        looked: remains.messages,
        violations: doubled,
      },
      { rule: 'each further run has a documented cause', looked: runs.length, violations: unexplained },
      {
        rule: 'no handler that looks at its signal goes on beside a later run',
        looked: remains.effects.length,
        violations: afterTheLook,
      },
    ],
  };
}

function grouped(runs: readonly HandlerRun[]): Map<number, HandlerRun[]> {
  const groups = new Map<number, HandlerRun[]>();
  for (const run of runs) groups.set(run.message, [...(groups.get(run.message) ?? []), run]);
  return groups;
}

/** A run after one that was undone is of the same attempt: what befell that one counts for it too. */
function inAttempt(run: HandlerRun, before: HandlerRun | undefined): HandlerRun {
  return before?.ending === 'undone' ? { ...run, beganAt: before.beganAt } : run;
}

function describe(run: HandlerRun, next: HandlerRun): string {
  const ended = run.ending ?? 'never ended';
  return `message ${run.message}: worker ${run.worker} (${ended}), then worker ${next.worker}`;
}

/**
 * A fault hits the messages that are in flight when it begins. Those of one worker can recover from then on, those of
 * all when it ends.
 */
function recoveriesOf(runs: readonly HandlerRun[], { faults, reports }: Evidence): number[] {
  const successes = successesOf(reports);
  return faults.flatMap((fault) => {
    const { from, until, worker } = fault;
    return runs
      .filter((run) => isHit(run, fault))
      .flatMap(({ message }) => {
        const at = successes.get(message);
        return at === undefined || at < from ? [] : [Math.max(0, at - (worker === undefined ? until : from))];
      });
  });
}

/** When a worker first knew that a message had succeeded. */
function successesOf(reports: Evidence['reports']): Map<number, number> {
  const successes = new Map<number, number>();
  for (const { report } of reports) {
    if (report.type !== 'ended' || !['succeeded', 'replayed'].includes(report.ending)) continue;
    successes.set(report.message, Math.min(report.at, successes.get(report.message) ?? Infinity));
  }
  return successes;
}
