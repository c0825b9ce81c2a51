import type { DatabaseClient, DatabaseRow } from '../../../src/postgres/database-client.ts';
import { forgetRecord } from '../../operations/forget-record.ts';
import { retryRecord } from '../../operations/retry-record.ts';
import { fromColumn, given } from '../../operations/record.ts';
import type { RecordOptions } from '../../operations/tables.ts';
import { run } from '../../operations/run.ts';
import { changing } from '../bounded-client.ts';
import type { Context } from '../context.ts';
import { BadRequest } from '../page.ts';
import { dateIn, read } from './read.ts';
import { pageStatements } from '../statements/pages.ts';

/** Which failed records were retried together: those that were first claimed between two moments. */
export interface ManyFilter {
  readonly scope: string;
  readonly error: string;
  readonly since: string;
  readonly until: string;
}

const PER_PAGE = 50;

/** What people have done by the dashboard, the newest first; before the id that is given. */
export async function actionsOn(context: Context, before: string | undefined) {
  const cursor = /^\d{1,18}$/.exec(before ?? '')?.[0] ?? null;
  const rows = await read(context, 'audit', [String(PER_PAGE + 1), cursor]);
  const actions = rows.slice(0, PER_PAGE).map(toAction);
  return { actions, ...given('next', rows.length > PER_PAGE ? actions.at(-1)?.id : undefined) };
}

export async function actionWith(context: Context, id: string) {
  if (!/^\d{1,18}$/.test(id)) return undefined;
  const [row] = await read(context, 'audit', ['1', String(BigInt(id) + 1n)]);
  return row?.[0] === id ? toAction(row) : undefined;
}

/** `endedAt` and `outcome` are undefined while it runs, and where its process died. */
function toAction(row: DatabaseRow) {
  const [id, begunMs, endedMs, seenMs, expected, done, stop, person, action, scope, key, filter, outcome] =
    row;
  return {
    ...{ id: id ?? '', person: person ?? '', action: action as 'retry' | 'forget' },
    begunAt: new Date(Number(begunMs)),
    ...given('endedAt', dateIn(endedMs)),
    seenAt: new Date(Number(seenMs)),
    ...{ expected: Number(expected), done: Number(done), isStopping: stop === 'true' },
    ...given('scope', scope),
    ...given('key', key),
    ...given('filter', fromColumn(filter) as ManyFilter | undefined),
    ...given('outcome', outcome),
  };
}

export type Action = ReturnType<typeof toAction>;

/** Where actions are written: the client itself, whose transactions may write. */
export interface Desk {
  readonly client: DatabaseClient;
  readonly databaseSchema: string;
}

interface One {
  readonly person: string;
  readonly scope: string;
  readonly key: string;
  /** Whether the key was typed. */
  readonly isConfirmed: boolean;
}

/** What each does to one record. Undefined: it has done that; else what was on record. */
const ACTIONS = {
  async retry(one: RecordOptions) {
    const retried = await retryRecord(one);
    return retried.state === 'retried' ? undefined : retried.found;
  },
  async forget(one: RecordOptions, isConfirmed: boolean) {
    const forgotten = await forgetRecord(one);
    if (forgotten.state === 'absent') return forgotten.state;
    if (forgotten.was === 'running' && !isConfirmed)
      throw new BadRequest('the message is running: type its key to confirm');
    return undefined;
  },
};

/** Does something to one record, and writes down who did it: both or neither. Throws `BadRequest`. */
export async function actOn(
  { client, databaseSchema }: Desk,
  action: Action['action'],
  one: One,
): Promise<void> {
  const { person, scope, key, isConfirmed } = one;
  const statements = pageStatements(databaseSchema);
  await changing(client, async (sql) => {
    const [row] = await run(sql, statements.begin, [person, action, scope, key, null, '1']);
    const found = await ACTIONS[action]({ sql, databaseSchema, scope, key }, isConfirmed);
    const [done, outcome] = found === undefined ? ['1', 'finished'] : ['0', `unchanged: ${found}`];
    await run(sql, statements.end, [row?.[0] ?? '', done, outcome]);
  });
}

/** Asks the process that runs an action to stop. */
export async function askToStop({ client, databaseSchema }: Desk, id: string): Promise<void> {
  await changing(client, (sql) => run(sql, pageStatements(databaseSchema).stop, [id]));
}
