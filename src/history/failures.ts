import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreError } from '../words/errors.ts';
import { arraysOf } from '../postgres/batch.ts';
import type { DatabaseClient } from '../postgres/database-client.ts';
import { notedStatements } from './statements/noted.ts';
import { onOneLine } from '../postgres/request-rows.ts';
import { type Line, lineOf } from './line.ts';
import type { Emit, Noted } from './recorded.ts';
import { REST_MS, writeBeside } from './write-beside.ts';
import { sharedByTables } from './shared.ts';

const MAX_BATCH = 100;
const MAX_WAITING = 1_000;
const MAX_PER_SECOND = 100;

interface WaitingLine extends Line {
  /** In monotonic milliseconds. */
  readonly at: number;
  /** Of the consumer whose line it is. */
  readonly emit: Emit;
}

export const failuresOf = sharedByTables(createFailures);

/**
 * Which attempts did not succeed: one statement at a time, and what ends meanwhile goes along with the next. Each is of
 * one scope, as a distributed Postgres needs it.
 */
function createFailures(client: DatabaseClient, schema: string): Noted {
  const statement = onOneLine(notedStatements(schema).failures);
  const write = writeBeside(client);
  const isAllowed = createAllowance(MAX_PER_SECOND);
  const waiting: WaitingLine[] = [];
  let isSending = false;
  let sent: Promise<void> = Promise.resolve();
  let restsUntil = 0;

  async function sendAll(): Promise<void> {
    isSending = true;
    while (waiting.length > 0) {
      await nextTurn();
      for (const lines of byScope(waiting.splice(0, MAX_BATCH))) await send(lines);
    }
    isSending = false;
  }

  async function send(lines: readonly WaitingLine[]): Promise<void> {
    if (performance.now() < restsUntil) {
      tellDropped(lines);
      return;
    }
    try {
      await write(statement, parametersOf(lines));
    } catch (error) {
      const isDataRefused = error instanceof StoreError && error.dataRefused;
      if (!isDataRefused) restsUntil = performance.now() + REST_MS;
      if (isDataRefused && lines.length > 1) await sendAlone(lines);
      else tellDropped(lines);
    }
  }

  /** A line that the database cannot take must not take its neighbours along. */
  async function sendAlone(lines: readonly WaitingLine[]): Promise<void> {
    for (const line of lines) await send([line]);
  }

  return {
    note(event, emit) {
      const line = lineOf(event);
      if (line === undefined) return;
      const now = performance.now();
      const noted = { ...line, at: now, emit };
      if (now < restsUntil || waiting.length === MAX_WAITING || !isAllowed(now)) {
        tellDropped([noted]);
        return;
      }
      waiting.push(noted);
      if (!isSending) sent = sendAll();
    },
    flush: () => sent,
  };
}

function byScope(lines: readonly WaitingLine[]): WaitingLine[][] {
  return [...new Set(lines.map(({ scope }) => scope))].map((one) =>
    lines.filter(({ scope }) => scope === one),
  );
}

/** To each consumer its own, by scope. */
function tellDropped(lines: readonly WaitingLine[]): void {
  const dropped = new Map<Emit, Map<string, number>>();
  for (const { emit, scope } of lines) {
    const ofConsumer = dropped.get(emit) ?? new Map<string, number>();
    dropped.set(emit, ofConsumer);
    ofConsumer.set(scope, (ofConsumer.get(scope) ?? 0) + 1);
  }
  for (const [emit, ofConsumer] of dropped) {
    for (const [scope, count] of ofConsumer) emit({ type: 'failures-dropped', scope, key: '', lines: count });
  }
}

/** Of lines of one scope. */
function parametersOf(lines: readonly WaitingLine[]): string[] {
  const now = performance.now();
  const rows = lines.map((line) => ({ ...line, ageMs: now - line.at }));
  const columns = arraysOf(rows, ['ageMs', 'tookMs', 'attempt', 'key', 'ending', 'worker', 'error']);
  return [lines[0]?.scope ?? '', ...columns];
}

/** So many in each second, in monotonic milliseconds. */
function createAllowance(perSecond: number): (now: number) => boolean {
  let secondEndsAt = 0;
  let used = 0;
  return (now) => {
    if (now >= secondEndsAt) {
      secondEndsAt = now + 1_000;
      used = 0;
    }
    used += 1;
    return used <= perSecond;
  };
}
