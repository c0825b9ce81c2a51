import { type Command } from 'commander';
import {
  explainRecord,
  findRecords,
  type RecordView,
  type Explanation,
  type TablesOptions,
} from '../../operations/index.ts';
import type { EndedAttempt, WorkerView } from '../../operations/explain-record.ts';
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

/** The last has the number of the next attempt, so that it is not missed. */
const UNRECORDED =
  'deferrals, runs repeated after a conflict in the database, and interruptions whose line could not be written, are ' +
  'not known';

export function textOf(story: Explanation): string {
  const { record, worker, attempts } = story;
  const lines = record === undefined ? 'the record no longer exists' : linesOf(record);
  const host = worker?.host === undefined ? '' : `\n${'host'.padEnd(13)} ${nameOf(worker)}`;
  const lapsed = record?.phase === 'lapsed' ? `\n\n${lapsedAt(record)}` : '';
  const ended = attempts.length > 0 ? [tableOf(attempts.map(rowOf))] : [];
  const unlisted = unlistedAttempts(story);
  if (unlisted !== undefined) ended.push(unlisted);
  if (ended.length === 0)
    ended.push(`no attempt${lapsed === '' ? '' : ' before it'} is known to have ended badly; ${UNRECORDED}`);
  return `${lines}${host}${lapsed}\n\n${ended.join('\n\n')}`;
}

function lapsedAt({ attempts, liveUntil }: RecordView): string {
  return (
    `attempt ${attempts} has no outcome on record, and its lease lapsed at ${liveUntil.toISOString()}: its process is ` +
    'gone or frozen, or the attempt went on past its lease; the next delivery runs the message again, unless ' +
    'maxDeaths is reached'
  );
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
