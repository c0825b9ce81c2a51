import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreError } from '../words/errors.ts';
import { arraysOf } from '../postgres/batch.ts';
import type { DatabaseClient } from '../postgres/database-client.ts';
import { FAILURE_COLUMNS, logStatements } from './statements/logs.ts';
import { onOneLine } from '../postgres/request-rows.ts';
import { type Line, lineOf } from './line.ts';
import type { Emit, EventLog } from './event-log.ts';
import { REST_MS, createLogWriter } from './log-writer.ts';
import { sharedByTables } from './shared.ts';

const MAX_BATCH = 100;
const MAX_WAITING = 1_000;
const MAX_PER_SECOND = 100;

interface WaitingLine extends Line {
  /** In monotonic milliseconds. */
  readonly at: number;
  /** Of the consumer that had the attempt. */
  readonly emit: Emit;
}

export const failuresOf = sharedByTables(createFailures);

/**
 * Which attempts did not succeed. It sends one statement at a time, and gathers lines while one is under way. Each
 * statement has one scope, as a distributed Postgres needs it.
 */
function createFailures(client: DatabaseClient, schema: string): EventLog {
  const statement = onOneLine(logStatements(schema).failures);
  const write = createLogWriter(client);
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
      emitDropped(lines);
      return;
    }
    try {
      await write(statement, parametersOf(lines));
    } catch (error) {
      const isDataRefused = error instanceof StoreError && error.dataRefused;
      if (!isDataRefused) restsUntil = performance.now() + REST_MS;
      if (isDataRefused && lines.length > 1) await sendAlone(lines);
      else emitDropped(lines);
    }
  }

  /** One line that the database refuses must not cost the others. */
  async function sendAlone(lines: readonly WaitingLine[]): Promise<void> {
    for (const line of lines) await send([line]);
  }

  return {
    add(event, emit) {
      const line = lineOf(event);
      if (line === undefined) return;
      const now = performance.now();
      const waitingLine = { ...line, at: now, emit };
      if (now < restsUntil || waiting.length === MAX_WAITING || !isAllowed(now)) {
        emitDropped([waitingLine]);
        return;
      }
      waiting.push(waitingLine);
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

/** One event for each consumer and scope. */
function emitDropped(lines: readonly WaitingLine[]): void {
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
  const columns = arraysOf(rows, FAILURE_COLUMNS);
  return [lines[0]?.scope ?? '', ...columns];
}

/** Allows so many calls in each second. `now` is in monotonic milliseconds. */
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
