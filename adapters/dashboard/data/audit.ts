import type { DatabaseClient, DatabaseRow } from '../../../src/postgres/database-client.ts';
import { forgetRecord } from '../../operations/forget-record.ts';
import { retryRecord } from '../../operations/retry-record.ts';
import { fromColumn, given, type RecordView } from '../../operations/record.ts';
import type { RecordOptions } from '../../operations/tables.ts';
import { run } from '../../operations/run.ts';
import { showRecord } from '../../operations/show-record.ts';
import { changing } from '../bounded-client.ts';
import { type Context, Refused, textIn } from '../page.ts';
import { dateIn, PER_PAGE, pageOf, read } from './read.ts';
import { pageStatements } from '../statements/pages.ts';

/** Which failed records were retried together: those that were first claimed between two moments. */
export type ManyFilter = Readonly<Record<'scope' | 'error' | 'since' | 'until', string>>;

const ID = /^\d{1,18}$/;

/** What people have done by the dashboard, the newest first; before the id that is given. */
export async function actionsOn(context: Context) {
  const cursor = ID.exec(textIn(context, 'after') ?? '')?.[0];
  const { shown, last } = pageOf(await read(context, 'audit', [PER_PAGE + 1, cursor]));
  return { actions: shown.map(toAction), ...given('next', last?.[0]) };
}

/** The one whose id the address has. Throws `Refused`. */
export async function actionOf(context: Context): Promise<Action> {
  const id = textIn(context, 'id') ?? '';
  const [row] = ID.test(id) ? await read(context, 'audit', [1, String(BigInt(id) + 1n)]) : [];
  if (row?.[0] !== id) throw new Refused('id must be the id of an action in the audit');
  return toAction(row);
}

/** `endedAt` and `outcome` are undefined while it runs, and where its process died. */
function toAction(row: DatabaseRow) {
  const [id, begunMs, endedMs, seenMs, expected, done, stop, person, action, scope, key, filter, outcome] =
    row;
  return {
    ...{ id: id ?? '', person: person ?? '', action: action as 'retry' | 'forget' | 'stop' },
    begunAt: new Date(Number(begunMs)),
    ...given('endedAt', dateIn(endedMs)),
    seenAt: new Date(Number(seenMs)),
    ...{ expected: Number(expected), done: Number(done), isStopping: stop === 'true' },
    ...given('scope', scope),
    ...given('key', key),
    ...given('filter', fromColumn(filter) as Partial<ManyFilter> | undefined),
    ...given('outcome', outcome),
  };
}

export type Action = ReturnType<typeof toAction>;

/** Where actions are written: the client itself, whose transactions may write. */
export interface Audit {
  readonly client: DatabaseClient;
  readonly databaseSchema: string;
}

interface One {
  readonly person: string;
  readonly scope: string;
  readonly key: string;
  /** What the page showed, as `stampOf` has it. */
  readonly seen: string;
  /** Whether the key was typed. */
  readonly isConfirmed: boolean;
}

/** Which record a page showed, and how far it was: another life of the key, or another state, has another stamp. */
export function stampOf({ phase, attempts, createdAt, beganAt }: RecordView): string {
  return `${phase} ${attempts} ${createdAt.getTime()} ${beganAt.getTime()}`;
}

/** Throws `Refused`. */
function requireSeen(record: RecordView | undefined, seen: string): void {
  if (record === undefined || stampOf(record) !== seen)
    throw new Refused('the record has changed since: open its page again');
}

/** What each does to one record: whether it did that, and what is written down. Throws `Refused`. */
const ACTIONS = {
  async retry(one: RecordOptions, { seen }: One) {
    const record = await showRecord(one);
    const retried = await retryRecord(one);
    if (retried.state === 'unchanged') return { isDone: false, outcome: `unchanged: ${retried.found}` };
    requireSeen(record, seen);
    return { isDone: true, outcome: 'finished' };
  },
  async forget(one: RecordOptions, { seen, isConfirmed }: One) {
    const record = await showRecord(one);
    const forgotten = await forgetRecord(one);
    if (record === undefined || forgotten.state === 'absent')
      return { isDone: false, outcome: 'unchanged: absent' };
    requireSeen(forgotten.was === record.phase ? record : undefined, seen);
    if (forgotten.was === 'running' && !isConfirmed)
      throw new Refused('the message is running: type its key to confirm');
    return { isDone: true, outcome: `finished: it was ${forgotten.was}` };
  },
};

export type ActionName = keyof typeof ACTIONS;

/** Does something to one record, and writes down who did it: both or neither. Throws `Refused`. */
export async function actOn({ client, databaseSchema }: Audit, action: ActionName, one: One): Promise<void> {
  const { person, scope, key } = one;
  const statements = pageStatements(databaseSchema);
  await changing(client, async (sql) => {
    const [row] = await run(sql, statements.begin, [person, action, scope, key, null, '1']);
    const { isDone, outcome } = await ACTIONS[action]({ sql, databaseSchema, scope, key }, one);
    await run(sql, statements.end, [row?.[0] ?? '', isDone ? '1' : '0', outcome]);
  });
}

/** Asks the process that runs an action to stop, and writes down who did. */
export async function askToStop(
  { client, databaseSchema }: Audit,
  id: string,
  person: string,
): Promise<void> {
  await changing(client, (sql) => run(sql, pageStatements(databaseSchema).stop, [id, person]));
}
