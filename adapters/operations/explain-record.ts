import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import type { StoredError } from '../../src/words/outcome.ts';
import type { BadEnding } from '../../src/history/line.ts';
import { NOT_AN_OBJECT, parseOptions } from '../../src/options/parse-options.ts';
import { historyStatements } from './statements/history.ts';
import { isOfLife, meaningOf } from './meaning.ts';
import { given, type RecordView, storedError } from './record.ts';
import { run } from './run.ts';
import { showRecord } from './show-record.ts';
import { clientOf, recordFields, type RecordOptions } from './tables.ts';

/** A process that claimed. Only its id is known if its line could not be written, or was deleted. */
export interface WorkerView {
  /** 8 hexadecimal digits, as in `RecordView`. */
  readonly id: string;
  /** Its name in the network, as the operating system has it. */
  readonly host?: string;
  /** Its id on that host. */
  readonly pid?: number;
  /** Of this package. */
  readonly version?: string;
  /** By the clock of the database. */
  readonly startedAt?: Date;
}

/** An attempt that did not succeed. */
export interface EndedAttempt {
  /** As the handler saw it in `attempt.number`. */
  readonly attempt: number;
  /** How it ended. */
  readonly ending: BadEnding;
  /** What that ending means for a second run. */
  readonly meaning: string;
  /** By the clock of the database. Of one that died, when it was taken over. */
  readonly endedAt: Date;
  /** Milliseconds from the call to its end. Undefined where the worker died. */
  readonly tookMs?: number;
  /** How many messages its handler was called for. Undefined if it was called only for this one, or its worker died. */
  readonly batchSize?: number;
  /** Undefined where it is not known. */
  readonly worker?: WorkerView;
  /** What its handler threw. */
  readonly error?: StoredError;
}

/** What happened to a message. */
export interface Explanation {
  /** Undefined if it no longer exists. */
  readonly record: RecordView | undefined;
  /** The process that has the record, or had it last, as far as it is known. */
  readonly worker: WorkerView | undefined;
  /**
   * The newest 100 of the attempts that did not succeed, the oldest of them first. Until the next walk of maintenance
   * also those of earlier lives of the key.
   */
  readonly attempts: readonly EndedAttempt[];
}

const explainOptions = lazily(() => z.strictObject(recordFields(), NOT_AN_OBJECT));

/**
 * Why a message ran twice, or did not succeed: its record, and each attempt that ended badly.
 *
 * The attempts are recorded on a best-effort basis: the newest 100 of a record, at most 100 a second from each process,
 * and none where the role of the worker may not write them. The event `failures-dropped` counts those that were not
 * written. Throws `InvalidOptionsError`, `StoreError` and `SchemaError`.
 *
 * @example
 * ```ts
 * import { explainRecord } from 'handle-once/operations';
 *
 * const { attempts } = await explainRecord({ sql, scope: 'billing', key: 'order-7' });
 * for (const { attempt, ending, worker } of attempts) console.log(attempt, ending, worker?.host);
 * ```
 */
export async function explainRecord(options: RecordOptions): Promise<Explanation> {
  const resolved = parseOptions('explainRecord', explainOptions(), options);
  const { databaseSchema, scope, key } = resolved;
  const statements = historyStatements(databaseSchema);
  const client = clientOf(resolved);
  const record = await showRecord(resolved);
  const rows = await run(client, statements.explain, [scope, key]);
  const id = record?.worker;
  const [found] = id === undefined ? [] : await run(client, statements.findWorker, [id]);
  const attempts = rows
    .toReversed()
    .map(([attempt, ending, endedMs, tookMs, batchSize, error, ...worker]) => ({
      attempt: Number(attempt),
      ending: ending as BadEnding,
      endedAt: new Date(Number(endedMs)),
      ...given('tookMs', numberIn(tookMs)),
      ...given('batchSize', numberIn(batchSize)),
      ...given('worker', workerView(worker)),
      ...given('error', storedError(error)),
    }));
  return {
    record,
    worker: id === undefined ? lastDeadOf(record, attempts) : workerView(found ?? [id]),
    attempts: attempts.map((attempt) => ({ ...attempt, meaning: meaningOf(attempt, record) })),
  };
}

/** The process of the last attempt, by the line of its death. */
function lastDeadOf(record: RecordView | undefined, lines: readonly Omit<EndedAttempt, 'meaning'>[]) {
  return lines.findLast(
    (line) => line.ending === 'died' && line.attempt === record?.attempts && isOfLife(line, record),
  )?.worker;
}

function numberIn(cell: string | null | undefined): number | undefined {
  return cell === null || cell === undefined ? undefined : Number(cell);
}

function workerView([id, host, pid, version, startedMs]: readonly (string | null | undefined)[]):
  | WorkerView
  | undefined {
  if (id === null || id === undefined) return undefined;
  if (host === null || host === undefined) return { id };
  return { id, host, pid: Number(pid), version: version ?? '', startedAt: new Date(Number(startedMs)) };
}
