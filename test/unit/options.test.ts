import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { createHandleOnce, InvalidOptionsError, type OptionIssue } from '../../src/index.ts';
import { createMemoryStore } from '../../testing/index.ts';
import { issuesOf as issuesIn } from '../support/issues-of.ts';

const store = createMemoryStore();
const sql = postgres('postgres://127.0.0.1:1/none');
const LEASE = 'must be a whole number of milliseconds from 100 to 43,200,000';
const RETENTION = 'must be a whole number of milliseconds from 100 to 315,360,000,000';
const BELOW_LEASE = 'must not be below leaseMs: a record that expires so soon answers no redelivery';
const ATTEMPTS = 'must be a whole number of attempts from 1 to 2,147,483,647, or Infinity';
const WAIT = 'must be a whole number of milliseconds from 0 to 43,200,000';
const FACTOR = 'must be a number from 1 to 10';
const BASE_ABOVE_MAX = 'must not be above maxMs, which is 1,200,000 unless given';
const BACKOFF =
  'must be { baseMs, maxMs, factor } or a function of (failures, error) that returns milliseconds';
const BYTES = 'must be a whole number of bytes from 0 to 16,777,216';
const SCHEMA = 'must be a Standard Schema, such as a zod schema';
const SCHEMA_NAME = 'must be 1 to 63 ASCII letters, digits or underscores, not starting with a digit or pg_';
const AROUND = 'must be a function of (attempt, run), such as the around that openTelemetry() returns';
const UNKNOWN = 'is not an option; remove it or correct its spelling';
const CLIENT =
  'must be a client made by postgres(url), or one of another library through handle-once/clients, such as fromPg(pool) ' +
  'or fromPglite(db), not a transaction or a URL';
const STORE = 'must be a store such as createMemoryStore() returns';

const issuesOf = (options: unknown) =>
  issuesIn(() => createHandleOnce(options as Parameters<typeof createHandleOnce>[0])).map((issue) => ({
    ...issue,
    // What was given: a test of its own is below.
    message: issue.message.replace(/ \(got [^)]+\)$/, ''),
  }));

describe('createHandleOnce refuses', () => {
  it.each<[string, unknown, string]>([
    ['scope', undefined, 'must be a string, got undefined'],
    ['scope', null, 'must be a string, got null'],
    ['scope', 5, 'must be a string, got number'],
    ['scope', '', 'must not be empty'],
    ['leaseMs', 99, LEASE],
    ['leaseMs', 43_200_001, LEASE],
    ['leaseMs', 100.5, LEASE],
    ['leaseMs', NaN, LEASE],
    ['leaseMs', Infinity, LEASE],
    ['leaseMs', '30s', LEASE],
    ['leaseMs', null, LEASE],
    ['leaseMs', Symbol('30s'), LEASE],
    ['leaseMs', 30_000n, LEASE],
    ['maxAttempts', 0, ATTEMPTS],
    ['maxAttempts', 1.5, ATTEMPTS],
    ['maxAttempts', 2_147_483_648, ATTEMPTS],
    ['maxAttempts', -Infinity, ATTEMPTS],
    ['maxAttempts', '3', ATTEMPTS],
    ['backoff', null, BACKOFF],
    ['backoff', 1_000, BACKOFF],
    ['backoff', 'exponential', BACKOFF],
    ['backoff', [], BACKOFF],
    ['timeoutMs', 0, 'must be a whole number of milliseconds from 1 to 43,200,000'],
    ['timeoutMs', Infinity, 'must be a whole number of milliseconds from 1 to 43,200,000'],
    ['succeededRetentionMs', 315_360_000_001, RETENTION],
    ['succeededRetentionMs', '7d', RETENTION],
    ['failedRetentionMs', Infinity, RETENTION],
    ['failedRetentionMs', Symbol('7d'), RETENTION],
    ['succeededRetentionMs', 29_999, BELOW_LEASE],
    ['failedRetentionMs', 29_999, BELOW_LEASE],
    ['schema', {}, SCHEMA],
    ['schema', null, SCHEMA],
    ['schema', { '~standard': {} }, SCHEMA],
    ['storeResult', 'yes', 'must be true or false'],
    ['storeResult', 0, 'must be true or false'],
    ['maxResultBytes', -1, BYTES],
    ['maxStepBytes', -1, BYTES],
    ['batching', 'off', 'must be true or false'],
    ['maxResultBytes', 16_777_217, BYTES],
    ['onEvent', 'log', 'must be a function of one event'],
    ['around', 'span', AROUND],
    ['around', { around: () => 1, stop: () => 1 }, AROUND],
  ])('%s: %o', (field, value, message) => {
    expect(issuesOf({ store, scope: 'a', [field]: value })).toEqual([{ field, message }]);
  });

  it.each<[string, unknown, OptionIssue[]]>([
    ['a text as a bound', { baseMs: '1s' }, [{ field: 'backoff.baseMs', message: WAIT }]],
    [
      'bounds that are out of bounds',
      { baseMs: -2, maxMs: 43_200_001 },
      [
        { field: 'backoff.baseMs', message: WAIT },
        { field: 'backoff.maxMs', message: WAIT },
      ],
    ],
    ['a factor below 1', { factor: 0.9 }, [{ field: 'backoff.factor', message: FACTOR }]],
    ['a factor above 10', { factor: 10.1 }, [{ field: 'backoff.factor', message: FACTOR }]],
    ['a text as a factor', { factor: '2' }, [{ field: 'backoff.factor', message: FACTOR }]],
    ['a misspelt bound', { base: 1 }, [{ field: 'backoff.base', message: UNKNOWN }]],
    ['baseMs above maxMs', { baseMs: 2, maxMs: 1 }, [{ field: 'backoff.baseMs', message: BASE_ABOVE_MAX }]],
    [
      'baseMs above the default of maxMs',
      { baseMs: 1_200_001 },
      [{ field: 'backoff.baseMs', message: BASE_ABOVE_MAX }],
    ],
  ])('a backoff with %s', (_, backoff, issues) => {
    expect(issuesOf({ store, scope: 'a', backoff })).toEqual(issues);
  });

  it.each<[string, object, string, string]>([
    ['neither sql nor store', {}, 'sql', 'is missing: pass a client made by postgres(url)'],
    ['both sql and store', { sql, store }, 'store', 'must not be given together with sql'],
    [
      'databaseSchema with a store',
      { store, databaseSchema: 'a' },
      'databaseSchema',
      'has no effect with your own store; remove it',
    ],
    [
      'maxResultBytes without results',
      { store, storeResult: false, maxResultBytes: 1 },
      'maxResultBytes',
      'has no meaning when storeResult is false; remove one of them',
    ],
    [
      'a lease above the retention',
      { store, leaseMs: 60_000, failedRetentionMs: 59_999 },
      'failedRetentionMs',
      BELOW_LEASE,
    ],
    ['an empty databaseSchema', { sql, databaseSchema: '' }, 'databaseSchema', SCHEMA_NAME],
    ['a quoted databaseSchema', { sql, databaseSchema: 'a"; drop table b' }, 'databaseSchema', SCHEMA_NAME],
    ['a databaseSchema of the system', { sql, databaseSchema: 'pg_temp' }, 'databaseSchema', SCHEMA_NAME],
    [
      'a databaseSchema that Postgres would cut',
      { sql, databaseSchema: 'a'.repeat(64) },
      'databaseSchema',
      SCHEMA_NAME,
    ],
    ['a URL in place of a client', { sql: 'postgres://user:secret@host/db' }, 'sql', CLIENT],
    ['a client of another library as it is', { sql: { query: () => 1, connect: () => 1 } }, 'sql', CLIENT],
    ['a transaction of postgres', { sql: { unsafe: () => 1, savepoint: () => 1 } }, 'sql', CLIENT],
    ['null in place of a client', { sql: null }, 'sql', CLIENT],
    ['a store that lacks a verb', { store: { ...store, extend: undefined } }, 'store', STORE],
  ])('%s', (_, options, field, message) => {
    expect(issuesOf({ scope: 'a', ...options })).toEqual([{ field, message }]);
  });

  it.each([undefined, null, 5, 'scope', []])('%o in place of the options', (options) => {
    expect(issuesOf(options)).toEqual([{ field: '', message: 'the options must be an object' }]);
  });

  it('options that do not exist, by their names', () => {
    expect(issuesOf({ store, scope: 'a', lease: 1, maxattempts: 3 })).toEqual([
      { field: 'lease', message: UNKNOWN },
      { field: 'maxattempts', message: UNKNOWN },
    ]);
  });

  it('everything that is wrong at once, contradictions too', () => {
    expect(
      issuesOf({ leaseMs: '30s', maxAttempts: 0, storeResult: false, maxResultBytes: 1, lease: 1 }),
    ).toEqual([
      { field: 'scope', message: 'must be a string, got undefined' },
      { field: 'leaseMs', message: LEASE },
      { field: 'maxAttempts', message: ATTEMPTS },
      { field: 'lease', message: UNKNOWN },
      { field: 'sql', message: 'is missing: pass a client made by postgres(url)' },
      { field: 'maxResultBytes', message: 'has no meaning when storeResult is false; remove one of them' },
    ]);
  });

  it.each<[unknown, string]>([
    [30, '30'],
    [0.5, '0.5'],
    [Number.NaN, 'NaN'],
    ['30s', 'string'],
    [null, 'null'],
  ])('with what was given, where it can hold no secret: %o', (leaseMs, got) => {
    const issues = issuesIn(() => createHandleOnce({ store, scope: 'a', leaseMs: leaseMs as number }));
    expect(issues).toEqual([{ field: 'leaseMs', message: `${LEASE} (got ${got})` }]);
  });

  it('without quoting a value', () => {
    const secret = 'hunter2'.repeat(100);
    const names = [
      'sql',
      'store',
      'scope',
      'leaseMs',
      'maxAttempts',
      'backoff',
      'timeoutMs',
      'succeededRetentionMs',
    ];
    const more = [
      'failedRetentionMs',
      'schema',
      'storeResult',
      'maxResultBytes',
      'databaseSchema',
      'onEvent',
    ];
    const options = Object.fromEntries([...names, ...more].map((name) => [name, secret]));
    const issues = issuesOf(options);
    expect(new Set(issues.map(({ field }) => field))).toEqual(new Set(Object.keys(options)));
    expect(JSON.stringify(issues)).not.toContain('hunter2');
  });

  it('with an error that says whose options they are, and each field with its message', () => {
    const options = { store, scope: '', leaseMs: 1 };
    expect(() => createHandleOnce(options)).toThrow(InvalidOptionsError);
    expect(() => createHandleOnce(options)).toThrow(
      `createHandleOnce: scope: must not be empty; leaseMs: ${LEASE}`,
    );
    expect(() => createHandleOnce(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', retriable: false }) as Error,
    );
  });
});

describe('createHandleOnce accepts', () => {
  it('a scope alone, with the documented defaults', () => {
    const { settings } = createHandleOnce({ store, scope: 'a' });
    expect(settings).toEqual({
      scope: 'a',
      leaseMs: 30_000,
      maxAttempts: 12,
      maxDeaths: 5,
      backoff: { baseMs: 1_000, maxMs: 1_200_000, factor: 3 },
      retriesWereChosen: false,
      timeoutMs: undefined,
      succeededRetentionMs: 604_800_000,
      failedRetentionMs: 604_800_000,
      storeResult: true,
      maxResultBytes: 65_536,
      maxStepBytes: 65_536,
      batching: true,
      hasTransactions: false,
      maxConnections: undefined,
    });
    expect(Object.isFrozen(settings)).toBe(true);
  });

  it('undefined for every option but the scope', () => {
    const names = [
      'leaseMs',
      'maxAttempts',
      'backoff',
      'timeoutMs',
      'schema',
      'storeResult',
      'maxResultBytes',
    ];
    const more = ['succeededRetentionMs', 'failedRetentionMs', 'databaseSchema', 'onEvent', 'sql'];
    const unset = Object.fromEntries([...names, ...more].map((name) => [name, undefined]));
    expect(issuesOf({ ...unset, store, scope: 'a' })).toEqual([]);
  });

  it.each<[string, object]>([
    ['the least of everything', { leaseMs: 100, maxAttempts: 1, timeoutMs: 1, maxResultBytes: 0 }],
    ['the least retention', { leaseMs: 100, succeededRetentionMs: 100, failedRetentionMs: 100 }],
    ['the longest lease and retention', { leaseMs: 43_200_000, succeededRetentionMs: 315_360_000_000 }],
    ['endless attempts', { maxAttempts: Infinity }],
    ['no wait at all', { backoff: { baseMs: 0, maxMs: 0 } }],
    ['an empty backoff', { backoff: {} }],
    ['waits that are all alike', { backoff: { factor: 1 } }],
    ['the fastest growth of waits', { backoff: { factor: 10 } }],
    ['a backoff function', { backoff: () => 5 }],
    [
      'a schema that is a function',
      { schema: Object.assign(() => undefined, { '~standard': { validate: () => undefined } }) },
    ],
  ])('%s', (_, options) => {
    expect(issuesOf({ store, scope: 'a', ...options })).toEqual([]);
  });

  it('a client of postgres, and a schema name of 63 characters', () => {
    expect(issuesOf({ sql, scope: 'a', databaseSchema: `A_${'1'.repeat(61)}` })).toEqual([]);
  });
});
