import { type Command } from 'commander';
import {
  explainRecord,
  findRecords,
  type RecordView,
  type Explanation,
  type TablesOptions,
} from '../../operations/index.ts';
import type { EndedAttempt, WorkerView } from '../../operations/explain-record.ts';
import { isOfLife, outlivedLease } from '../../operations/meaning.ts';
import { unlistedAttempts } from '../../operations/unlisted-attempts.ts';
import { type Answer, answer } from '../command.ts';
import { EXIT } from '../errors.ts';
import { eachOf, found, type FoundOptions, linesOf } from '../one-record.ts';
import { printable } from '../printable.ts';
import { tableOf } from '../table.ts';

export function addExplain(program: Command): void {
  found(program, 'explain', 'what happened to a message, and why it ran twice').action(
    async (key: string, { scope, ...options }: FoundOptions) => {
      await answer(options, (tables) =>
        scope === undefined ? explainAll(tables, key) : explainOne(tables, scope, key),
      );
    },
  );
}

async function explainOne(tables: TablesOptions, scope: string, key: string): Promise<Answer> {
  const story = await explainRecord({ ...tables, scope, key });
  const isKnown = story.record !== undefined || story.attempts.length > 0;
  return {
    json: story,
    text: isKnown
      ? textOf(story)
      : 'no such record, and no line about its attempts: both are deleted together',
    exitCode: isKnown ? EXIT.done : EXIT.unchanged,
  };
}

async function explainAll(tables: TablesOptions, key: string): Promise<Answer> {
  const stories: Explanation[] = [];
  for (const { scope } of await findRecords({ ...tables, key })) {
    stories.push(await explainRecord({ ...tables, scope, key }));
  }
  return eachOf(
    stories,
    textOf,
    'no such record in any scope; with --scope, attempts without a record are found too',
  );
}

/** They end no attempt. */
const UNRECORDED = 'deferrals, and runs repeated after a conflict in the database, are not recorded';

export function textOf(story: Explanation): string {
  const { record, worker, attempts } = story;
  const lines = record === undefined ? 'the record no longer exists' : linesOf(record);
  const host = worker?.host === undefined ? '' : `\n${'host'.padEnd(13)} ${nameOf(worker)}`;
  const lapsed = record?.phase === 'lapsed' ? `\n\n${lapsedAt(record, attempts)}` : '';
  const ended = attempts.length > 0 ? [tableOf(attempts.map(rowOf))] : [];
  const unlisted = unlistedAttempts(story);
  if (unlisted !== undefined) ended.push(unlisted);
  if (ended.length === 0)
    ended.push(`no attempt${lapsed === '' ? '' : ' before it'} ended badly; ${UNRECORDED}`);
  return `${lines}${host}${lapsed}\n\n${ended.join('\n\n')}`;
}

function lapsedAt(record: RecordView, lines: readonly EndedAttempt[]): string {
  const { attempts, liveUntil, worker } = record;
  const at = `its lease lapsed at ${liveUntil.toISOString()}; the next delivery runs the message again`;
  if (outlivedLease(attempts, worker, liveUntil, lines, record))
    return `attempt ${attempts} outlived its lease, as its line below says: ${at}`;
  const isUnrecorded = lines.some(
    (line) =>
      line.ending === 'unrecorded' &&
      line.attempt === attempts &&
      line.worker?.id === worker &&
      isOfLife(line, record),
  );
  return isUnrecorded
    ? `attempt ${attempts} has no outcome on record, as its line below says, and ${at}`
    : `attempt ${attempts} has no recorded end: its process is gone or frozen, and ${at}`;
}

function rowOf({
  attempt,
  ending,
  endedAt,
  batchSize,
  worker,
  error,
  meaning,
}: EndedAttempt): Record<string, string> {
  return {
    attempt: String(attempt),
    ended: batchSize === undefined ? ending : `${ending}, in a batch of ${batchSize}`,
    at: endedAt.toISOString(),
    worker: worker === undefined ? '' : nameOf(worker),
    meaning: error === undefined ? meaning : `${meaning} (${textOfError(error)})`,
  };
}

function textOfError({ name, message, code }: NonNullable<EndedAttempt['error']>): string {
  return `${name}: ${message}${code === undefined || message.includes(String(code)) ? '' : `, ${code}`}`;
}

function nameOf({ id, host, pid, version }: WorkerView): string {
  return host === undefined ? id : printable(`${host}, process ${pid}, version ${version}`);
}
