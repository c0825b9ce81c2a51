import { createHandleOnce, type DatabaseClient, InvalidOptionsError } from 'handle-once';
import { retryRecord, showRecord } from 'handle-once/operations';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createRedrive } from '../../adapters/operations/redrive/redrive.ts';
import { createRedriver } from '../../adapters/operations/redrive/redriver.ts';
import type { DeadLetterOutcome } from '../../adapters/operations/redrive/dead-letter.ts';
import type { KeptDeadLetter, OwnedDeadLetter } from '../../adapters/operations/redrive/dead-letter.ts';
import { toDatabaseClient } from '../../src/postgres/sql-client.ts';
import { useDatabase } from '../support/database.ts';

const { sql } = useDatabase();

const scope = 'billing';
const key = 'order-7';

beforeEach(async () => {
  await sql`delete from handle_once.records`;
});

interface Given {
  readonly state: string;
  readonly owned?: boolean;
  readonly isOver?: boolean;
  readonly attempts?: number;
  readonly failures?: number;
  readonly deaths?: number;
}

async function record({
  state,
  owned = false,
  isOver = false,
  attempts = 3,
  failures = 1,
  deaths = 0,
}: Given): Promise<void> {
  await sql`
    insert into handle_once.records
      (scope, key, token, fingerprint, state, owned, attempts, failures, deaths, live_until, created_at,
      failed_reason)
    values (${scope}, ${key}, gen_random_uuid(), '', ${state}, ${owned}, ${attempts}, ${failures}, ${deaths},
      now() + ${isOver ? -1 : 60} * interval '1 second', now(), ${state === 'failed' ? 'terminal' : null})`;
}

const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);

const options = { sql, databaseSchema: 'handle_once', limit: Infinity, perSecond: 10_000, dryRun: false };

/** A dead letter that notes what is done with it, and what is then on record. */
function deadLetter(
  changes: Partial<OwnedDeadLetter & KeptDeadLetter> = {},
): OwnedDeadLetter & { readonly steps: string[] } {
  const steps: string[] = [];
  const note = async (step: string): Promise<void> => {
    steps.push(`${step}: ${(await showRecord({ sql, scope, key }))?.phase ?? 'absent'}`);
  };
  return {
    steps,
    scope,
    key,
    isOwn: true,
    namesScope: true,
    isOurs: () => true,
    async send(attempts) {
      await note(`send ${attempts}`);
      return true;
    },
    remove: () => note('remove'),
    ...changes,
  };
}

const ROWS: [found: string, given: Given | undefined, outcome: DeadLetterOutcome, steps: string[]][] = [
  ['absent', undefined, { state: 'sent', retried: false }, ['send 0: absent', 'remove: absent']],
  [
    'expired',
    { state: 'succeeded', isOver: true },
    { state: 'sent', retried: false },
    ['send 3: expired', 'remove: expired'],
  ],
  ['failed', { state: 'failed' }, { state: 'sent', retried: true }, ['send 3: waiting', 'remove: waiting']],
  [
    'retried, by a redrive that was killed',
    { state: 'pending', isOver: true, failures: 0 },
    { state: 'sent', retried: false },
    ['send 3: waiting', 'remove: waiting'],
  ],
  ['succeeded', { state: 'succeeded' }, { state: 'removed' }, ['remove: succeeded']],
  ['running', { state: 'pending', owned: true }, { state: 'kept', reason: 'running' }, []],
  ['lapsed', { state: 'pending', owned: true, isOver: true }, { state: 'kept', reason: 'lapsed' }, []],
  ['backing off', { state: 'pending' }, { state: 'kept', reason: 'backing-off' }, []],
  ['waiting', { state: 'pending', isOver: true }, { state: 'kept', reason: 'waiting' }, []],
  [
    'waiting since its worker died',
    { state: 'pending', isOver: true, failures: 0, deaths: 1 },
    { state: 'kept', reason: 'waiting' },
    [],
  ],
  [
    'waiting since its first attempt was interrupted',
    { state: 'pending', isOver: true, attempts: 0, failures: 0 },
    { state: 'kept', reason: 'waiting' },
    [],
  ],
];

describe('A dead letter whose record is', () => {
  test.each(ROWS)('%s', async (_, given, outcome, steps) => {
    if (given !== undefined) await record(given);
    const one = deadLetter();
    expect(await createRedriver('redriveQueue', options).take(one)).toEqual(outcome);
    expect(one.steps).toEqual(steps);
  });

  test.each(ROWS)('%s: a dry run says the same, and does nothing', async (_, given, outcome) => {
    if (given !== undefined) await record(given);
    const before = await sql`select * from handle_once.records`;
    const one = deadLetter();
    expect(await createRedriver('redriveQueue', { ...options, dryRun: true }).take(one)).toEqual(outcome);
    expect(one.steps).toEqual([]);
    expect(await sql`select * from handle_once.records`).toEqual(before);
  });
});

test.each<[string, Given | undefined, DeadLetterOutcome]>([
  ['no record', undefined, { state: 'kept', reason: 'ambiguous' }],
  ['an expired record', { state: 'succeeded', isOver: true }, { state: 'kept', reason: 'ambiguous' }],
  ['a failed record', { state: 'failed' }, { state: 'sent', retried: true }],
])('one that an earlier redrive may have sent, with %s', async (_, given, outcome) => {
  if (given !== undefined) await record(given);
  expect(await createRedriver('redriveQueue', options).take(deadLetter({ mayHaveBeenSent: true }))).toEqual(
    outcome,
  );
});

test.each<[string, object, RegExp]>([
  ['onDeadLetter', { onDeadLetter: () => Promise.reject(new Error('full')) }, /^full$/],
  [
    'filter',
    { filter: () => Promise.reject(new Error('full')) },
    /filter: must return true or false at once, but returned a promise/,
  ],
])('a rejection of an async %s ends the redrive', async (_, functions, message) => {
  const { take } = createRedrive('redriveQueue', { ...options, ...functions });
  await expect(take({ deadLetter: deadLetter(), place: {}, facts: {} })).rejects.toThrow(message);
});

describe('What the user says and is given', () => {
  const found = (changes: Partial<OwnedDeadLetter> = {}) => ({
    ...{ deadLetter: deadLetter(changes), place: { offset: '7' }, facts: { value: 'v' } },
  });
  const sent = { state: 'sent', retried: false };
  const keptFor = (reason: string): object => ({ state: 'kept', reason });

  test('without functions each dead letter is taken', async () => {
    expect(await createRedrive('redriveQueue', options).take(found())).toEqual(sent);
  });

  test.each<[says: string, wanted: boolean, mustStay: 'other-scope' | undefined, outcome: object]>([
    ['a filter that wants it', true, undefined, sent],
    ['a filter that does not', false, undefined, keptFor('filtered')],
    ['a filter that wants it, where it must stay', true, 'other-scope', keptFor('other-scope')],
    ['a filter that does not, where it must stay', false, 'other-scope', keptFor('filtered')],
  ])('%s', async (_, wanted, mustStay, outcome) => {
    const filter = vi.fn(() => wanted);
    const onDeadLetter = vi.fn();
    const { take } = createRedrive('redriveQueue', { ...options, filter, onDeadLetter });
    expect(await take(found({ mustStay }))).toEqual(outcome);
    expect(filter).toHaveBeenCalledExactlyOnceWith({ value: 'v', scope, key });
    expect(onDeadLetter).toHaveBeenCalledExactlyOnceWith({ offset: '7', scope, key, ...outcome });
  });

  test('a filter is not asked for one whose record is not known', async () => {
    const filter = vi.fn(() => true);
    const onDeadLetter = vi.fn();
    const { take } = createRedrive('redriveQueue', { ...options, filter, onDeadLetter });
    expect(await take({ ...found(), deadLetter: { kept: 'refused' } })).toEqual(keptFor('refused'));
    expect(filter).not.toHaveBeenCalled();
    expect(onDeadLetter).toHaveBeenCalledExactlyOnceWith({ offset: '7', ...keptFor('refused') });
  });

  test('nothing is said of one that was not touched', async () => {
    const onDeadLetter = vi.fn();
    const { take } = createRedrive('redriveQueue', { ...options, onDeadLetter });
    expect(await take(found({ isOurs: () => false }))).toBeUndefined();
    expect(onDeadLetter).not.toHaveBeenCalled();
  });
});

test('a dead letter that waits for its turn is not sent once the redrive ends', async () => {
  const stop = new AbortController();
  const redriver = createRedriver('redriveQueue', { ...options, perSecond: 0.001, signal: stop.signal });
  await redriver.take(deadLetter({ key: 'order-8' }));
  const second = redriver.take(deadLetter());
  setTimeout(() => {
    stop.abort();
  }, 50);
  expect(await second).toBeUndefined();
});

describe('Nothing is done with a dead letter', () => {
  test.each<[string, string, Partial<OwnedDeadLetter & KeptDeadLetter>]>([
    ['of another message, maybe', 'ambiguous', { isOwn: false }],
    ['that is older than the record by more than clocks are apart', 'ambiguous', { sentAt: minutesAgo(2) }],
    ['that says it was tried as often as the record', 'ambiguous', { attempts: 3 }],
    ['without a valid key', 'no-identity', { key: '' }],
    ['without a valid scope', 'no-identity', { scope: '\0' }],
    ['that its adapter keeps', 'filtered', { kept: 'filtered' }],
  ])('%s, where a message has succeeded: %s', async (_, reason, changes) => {
    await record({ state: 'succeeded' });
    const one = deadLetter(changes);
    expect(await createRedriver('redriveQueue', options).take(one)).toEqual({ state: 'kept', reason });
    expect(one.steps).toEqual([]);
  });

  test.each<[string, DeadLetterOutcome | undefined, Partial<OwnedDeadLetter>]>([
    ['without room', { state: 'kept', reason: 'no-room' }, { unsendable: 'no-room' }],
    ['that another reader may have', undefined, { isOurs: () => false }],
  ])('%s, and its record stays failed', async (_, outcome, changes) => {
    await record({ state: 'failed' });
    const one = deadLetter(changes);
    expect(await createRedriver('redriveQueue', options).take(one)).toEqual(outcome);
    expect(await showRecord({ sql, scope, key })).toMatchObject({ phase: 'failed' });
  });
});

test('a dead letter whose own record has succeeded is removed, though its broker and the database have other clocks', async () => {
  await record({ state: 'succeeded' });
  const one = deadLetter({ sentAt: minutesAgo(0.5), attempts: 2 });
  expect(await createRedriver('redriveQueue', options).take(one)).toEqual({ state: 'removed' });
});

test('a dead letter that is refused stays, with an open record', async () => {
  await record({ state: 'failed' });
  const one = deadLetter({ send: () => Promise.resolve(false) });
  expect(await createRedriver('redriveQueue', options).take(one)).toEqual({
    state: 'kept',
    reason: 'send-refused',
  });
  expect(one.steps).toEqual([]);
  expect(await createRedriver('redriveQueue', options).take(deadLetter())).toEqual({
    state: 'sent',
    retried: false,
  });
});

test('a record that changes while its dead letter waits for its turn is looked at again', async () => {
  await record({ state: 'failed' });
  const redriver = createRedriver('redriveQueue', { ...options, perSecond: 2 });
  const other = deadLetter({ scope: 'other' });
  await redriver.take(other);
  const second = redriver.take(deadLetter());
  // Its turn is half a second later.
  await sql`update handle_once.records set state = 'succeeded', failed_reason = null where scope = ${scope}`;
  expect(await second).toEqual({ state: 'removed' });
});

test('a record that was retried, ran and backs off is live', async () => {
  const handleOnce = createHandleOnce({
    sql,
    scope,
    maxAttempts: 1,
    backoff: { baseMs: 60_000, maxMs: 60_000 },
  });
  const fails = () => Promise.reject(new Error('no'));
  await handleOnce(key, 'body', fails);
  await retryRecord({ sql, scope, key });
  await createHandleOnce({ sql, scope, backoff: { baseMs: 60_000, maxMs: 60_000 } })(key, 'body', fails);
  expect(await createRedriver('redriveQueue', options).take(deadLetter())).toEqual({
    state: 'kept',
    reason: 'backing-off',
  });
});

test('a run that was interrupted after it was retried is sent again', async () => {
  const handleOnce = createHandleOnce({ sql, scope, maxAttempts: 1 });
  await handleOnce(key, 'body', () => Promise.reject(new Error('no')));
  await retryRecord({ sql, scope, key });
  const caller = new AbortController();
  await handleOnce(
    key,
    'body',
    (_, { signal }) => {
      caller.abort();
      signal.throwIfAborted();
    },
    { signal: caller.signal },
  );
  expect(await createRedriver('redriveQueue', options).take(deadLetter())).toEqual({
    state: 'sent',
    retried: false,
  });
});

describe('A second dead letter of a message that the run has sent', () => {
  test.each<[string, Given, DeadLetterOutcome]>([
    ['stays where it has failed again', { state: 'failed' }, { state: 'kept', reason: 'already-sent' }],
    [
      'stays where its copy has not run yet',
      { state: 'pending', isOver: true, failures: 0 },
      { state: 'kept', reason: 'already-sent' },
    ],
    ['is removed where it has succeeded', { state: 'succeeded' }, { state: 'removed' }],
  ])('%s', async (_, given, outcome) => {
    const redriver = createRedriver('redriveQueue', options);
    await redriver.take(deadLetter());
    await record(given);
    const second = deadLetter();
    expect(await redriver.take(second)).toEqual(outcome);
    expect(second.steps).toEqual(outcome.state === 'removed' ? ['remove: succeeded'] : []);
    expect(await redriver.take(deadLetter({ key: 'order-8' }))).toMatchObject({ state: 'sent' });
  });

  test('stays in a dry run too', async () => {
    const redriver = createRedriver('redriveQueue', { ...options, dryRun: true });
    expect(await redriver.take(deadLetter())).toMatchObject({ state: 'sent' });
    expect(await redriver.take(deadLetter())).toEqual({ state: 'kept', reason: 'already-sent' });
  });
});

describe('A dead letter that names no scope', () => {
  const nameless = () => deadLetter({ namesScope: false, key: 'order-8' });

  test.each([false, true])('is refused where no record has the one given, dry run: %s', async (dryRun) => {
    const one = nameless();
    const refused: unknown = await createRedriver('redriveQueue', { ...options, dryRun })
      .take(one)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidOptionsError);
    expect((refused as InvalidOptionsError).issues).toEqual([
      {
        field: 'scope',
        message: expect.stringMatching(
          /^is "billing", but no record in schema handle_once has that scope\..* npx handle-once status/,
        ) as string,
      },
    ]);
    expect(one.steps).toEqual([]);
  });

  test.each<[string, Given]>([
    ['one', { state: 'succeeded' }],
    ['one that has expired', { state: 'succeeded', isOver: true }],
  ])('is sent where %s has it', async (_, given) => {
    await record(given);
    expect(await createRedriver('redriveQueue', options).take(nameless())).toEqual({
      state: 'sent',
      retried: false,
    });
  });

  test('is looked at once in a run', async () => {
    await record({ state: 'succeeded' });
    const statements: string[] = [];
    const client = toDatabaseClient(sql) as DatabaseClient;
    const watched: DatabaseClient = {
      ...client,
      query(statement, parameters) {
        statements.push(statement);
        return client.query(statement, parameters);
      },
    };
    const redriver = createRedriver('redriveQueue', { ...options, sql: watched });
    for (const key of ['a', 'b', 'c']) await redriver.take(deadLetter({ namesScope: false, key }));
    await redriver.take(deadLetter({ key: 'd' }));
    expect(statements.filter((statement) => statement.includes('select exists'))).toHaveLength(1);
  });
});

test('limit and signal end it, and the report counts', async () => {
  await record({ state: 'succeeded' });
  const stop = new AbortController();
  const redriver = createRedriver('redriveQueue', { ...options, limit: 1, signal: stop.signal });
  await redriver.take(deadLetter());
  expect(redriver.isOver()).toBe(false);
  await redriver.take({ kept: 'refused' });
  await sql`delete from handle_once.records`;
  await redriver.take(deadLetter());
  expect(redriver.isOver()).toBe(true);
  expect(redriver.report(true)).toEqual({
    ...{ state: 'stopped', dryRun: false, sent: 1, removed: 1, kept: 1, keptFor: { refused: 1 } },
  });
  const other = createRedriver('redriveQueue', { ...options, signal: stop.signal });
  expect([other.isOver(), other.report(false).state]).toEqual([false, 'finished']);
  expect(other.report(true).state).toBe('blocked');
  expect(createRedriver('redriveQueue', options).isOver()).toBe(false);
  stop.abort();
  expect([other.isOver(), await other.take(deadLetter()), other.report(true).state]).toEqual([
    true,
    undefined,
    'stopped',
  ]);
});

test('dead letters are sent at most so fast', async () => {
  const redriver = createRedriver('redriveQueue', { ...options, perSecond: 20 });
  const startedAt = performance.now();
  for (let n = 0; n < 5; n += 1) await redriver.take(deadLetter({ key: `order-${n}` }));
  // Never faster; a slow machine is slower.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(190);
});
