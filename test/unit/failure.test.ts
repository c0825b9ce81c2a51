import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { sqlState } from '../../src/postgres/error-layers.ts';
import { toStoreError } from '../../src/postgres/failure.ts';
import { type HandleOnceError, SchemaError, StoreError } from '../../src/words/errors.ts';

const server = Object.assign(new Error('relation does not exist'), { code: '42P01', severity: 'ERROR' });

test.each([
  ['the error itself', server],
  ['its cause', new Error('failed query', { cause: server })],
  ['a cause of its cause', new Error('outer', { cause: new Error('inner', { cause: server }) })],
  ["an ORM's driver error", Object.assign(new Error('failed query'), { driverError: server })],
  [
    'the facts of an error with a code of its own',
    Object.assign(new Error('raw query failed'), { code: 'P2010', meta: { code: '42P01' } }),
  ],
  [
    "an adapter's cause, which is no error",
    Object.assign(new Error('raw query failed'), {
      code: 'P2010',
      meta: { driverAdapterError: new Error('adapter', { cause: { originalCode: '42P01' } }) },
    }),
  ],
])('the SQLSTATE is found in %s', (_, error) => {
  expect(sqlState(error)).toBe('42P01');
});

test.each([
  ['the network', 'EPIPE'],
  ['the client', 'CONNECTION_CLOSED'],
  ['an ORM', 'P1001'],
  ['the client, in figures', '503'],
])('a code of %s is no SQLSTATE', (_, code) => {
  const error = Object.assign(new Error('gone'), { code });
  expect(sqlState(error)).toBeUndefined();
  expect(toStoreError(error)).toMatchObject({
    retriable: true,
    message: expect.stringContaining(code) as string,
  });
});

test.each([undefined, null, 'text', 42, {}])('what is no error, as %j, can be asked again', (thrown) => {
  expect(toStoreError(thrown)).toMatchObject({ code: 'STORE', retriable: true, cause: undefined });
});

test('the cause is what the driver threw, without what a library put around it', () => {
  const quoting = Object.assign(new Error('failed query: secret'), { driverError: server });
  expect(toStoreError(quoting).cause).toMatchObject({ code: '42P01', message: 'relation does not exist' });
});

test.each<[state: string, retriable: boolean, words: RegExp]>([
  ['26000', true, /prepared statements.*prepare: false.*fromPg\(pool/],
  ['42P05', true, /prepared statements.*postgres\(url, { prepare: false }\)/],
  ['28000', false, /does not let this role log in/],
  ['28P01', false, /the password is wrong.*correct the password/],
  ['3D000', false, /the database does not exist.*create it/],
  ['42704', false, /does not know a setting.*leave schema, pgbouncer/],
  ['42501', false, /grant select, insert, update on "handle_once".records to ROLE;/],
  ['53300', true, /no connection left.*max_connections/],
  ['57P01', true, /closed the connection/],
  ['57P03', true, /starting or shutting down/],
  ['57014', true, /statement_timeout or a cancel ended the statement.*keep statement_timeout above 1 s/],
  ['40P01', true, /refused the statement/],
])('SQLSTATE %s is retriable: %s, and says what to do', (code, retriable, words) => {
  const error = Object.assign(new Error('of the server'), { code, severity: 'ERROR' });
  const failure = toStoreError(error, 'select from "handle_once".records t');
  expect(failure).toMatchObject({ code: 'STORE', retriable, dataRefused: false });
  expect(failure.message).toMatch(words);
  expect(failure.message).toContain(`SQLSTATE ${code}`);
});

test('what a trigger raises is not sent again, and refuses the values', () => {
  const error = Object.assign(new Error('secret'), { code: 'P0001', severity: 'ERROR' });
  const failure = toStoreError(error);
  expect(failure).toMatchObject({ retriable: false, dataRefused: true });
  expect(failure.message).toMatch(/a trigger .* raised an error \(SQLSTATE P0001\): check the triggers/);
  expect(inspect(failure)).not.toContain('secret');
});

const refused = (address: string, port: number) =>
  Object.assign(new Error(`connect ECONNREFUSED ${address}:${port}`), {
    code: 'ECONNREFUSED',
    address,
    port,
  });

test.each<[what: string, error: Error, words: string]>([
  ['one address', refused('127.0.0.1', 5432), 'at 127.0.0.1:5432 (ECONNREFUSED)'],
  [
    'all addresses of a host',
    new AggregateError([refused('::1', 5432), refused('127.0.0.1', 5432)]),
    'at [::1]:5432 and 127.0.0.1:5432 (ECONNREFUSED)',
  ],
  [
    'a host without address',
    Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND', hostname: 'db.internal' }),
    'at db.internal (ENOTFOUND)',
  ],
  [
    'a socket',
    Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED', address: '/tmp/.s.PGSQL.5432' }),
    'at /tmp/.s.PGSQL.5432 (CONNECTION_CLOSED)',
  ],
  [
    'a text of pg',
    new Error('timeout exceeded when trying to connect'),
    '(timeout exceeded when trying to connect)',
  ],
])('a database that cannot be reached is named by %s', (_, error, words) => {
  const { message } = toStoreError(error);
  expect(message).toContain('the database cannot be reached');
  expect(message).toContain(`${words}: `);
});

test.each([
  ['no password', new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string')],
  [
    'a data source that is not initialised',
    new TypeError("Cannot read properties of undefined (reading 'x')"),
  ],
  ['a text that can hold anything', new Error('secret')],
])('an error of the client without a code points at its cause: %s', (_, error) => {
  const failure = toStoreError(error);
  expect(failure).toMatchObject({ retriable: true, mayHaveLanded: true });
  expect(failure.message).toMatch(/\(unknown error\): the text of the error is in its cause\. .*password/);
  expect(failure.message).not.toContain(error.message);
  expect(failure.cause).toMatchObject({ message: error.message });
});

test('a connection that is closed at once, as by a server without TLS, says what to check', () => {
  const { message } = toStoreError(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
  expect(message).toMatch(/cannot be reached \(ECONNRESET\): send the call again; .*TLS/);
});

test('an error that wraps itself is read to an end', () => {
  const error: Error & { cause?: unknown } = new Error('round and round');
  error.cause = error;
  expect(toStoreError(error)).toMatchObject({ retriable: true });
});

describe('A table that was altered', () => {
  const statement = 'insert into "orders".records';
  const refused = (code: string, facts: object) =>
    toStoreError(
      Object.assign(new Error('secret'), { code, severity: 'ERROR', detail: 'secret', ...facts }),
      statement,
    );
  const COMPARE = 'Compare them with what npx handle-once sql --schema "orders" prints, and undo the change';

  test.each([
    ['postgres', { schema_name: 'orders', table_name: 'records', constraint_name: 'short' }],
    ['pg', { schema: 'orders', table: 'records', constraint: 'short' }],
  ])('is named, as %s names it, without what it quotes', (_, facts) => {
    const failure = refused('23514', facts);
    expect(failure.message).toContain(
      ': schema orders, table records, constraint short (SQLSTATE 23514): the tables are not as the migrations made them',
    );
    expect(failure.message).toContain(COMPARE);
    expect(failure).toMatchObject({ retriable: false, dataRefused: true });
    expect(inspect(failure)).not.toContain('secret');
  });

  test('is named with its column', () => {
    const facts = { schema_name: 'orders', table_name: 'records', column_name: 'failures' };
    expect(refused('23502', facts).message).toContain(
      ': schema orders, table records, column failures (SQLSTATE 23502)',
    );
  });

  test.each(['0A000', '22001', '23503', '23505', '42804', '42883'])(
    'is compared where nothing is named: %s',
    (code) => {
      const { message } = refused(code, {});
      expect(message).toMatch(new RegExp(`^[^:]+ \\(SQLSTATE ${code}\\): `));
      expect(message).toContain(COMPARE);
    },
  );

  test('is not named by what a function of the database raised', () => {
    const failure = refused('23514', { where: 'PL/pgSQL function f()', constraint_name: 'its own text' });
    expect(failure.message).not.toContain('its own text');
  });
});

/** As the server, or PgBouncer, answers. */
function answer(code: string, text: string, statement?: string): HandleOnceError {
  return toStoreError(Object.assign(new Error(text), { code, severity: 'ERROR' }), statement);
}

test.each(['unsupported startup parameter', 'unsupported startup parameter in options'])(
  'an %s that PgBouncer refuses is named, and what to do',
  (text) => {
    expect(answer('08P01', `${text}: search_path`).message).toMatch(
      /^PgBouncer refuses search_path, .* \(SQLSTATE 08P01\): .*alter role ROLE set search_path.*ignore_startup_parameters/,
    );
  },
);

test.each([
  ['08P01', 'invalid message format'],
  ['08P01', 'an unsupported startup parameter: search_path'],
  ['08P01', 'unsupported startup parameter: search_path = secret'],
  ['08006', 'unsupported startup parameter: search_path'],
])('no other answer is taken for that: %s, %s', (code, text) => {
  expect(answer(code, text).message).toMatch(/^the database refused the statement/);
});

test('what is a store error already stays as it is', () => {
  const error = new StoreError('no', { retriable: false });
  expect(toStoreError(error)).toBe(error);
});

test.each(['42P01', '42501', '08P01', '23514'])('%s of what is no error has no cause', (code) => {
  expect(toStoreError({ code })).toMatchObject({
    cause: undefined,
    message: expect.stringContaining(`(SQLSTATE ${code})`) as string,
  });
});

describe('Tables that are missing', () => {
  const statement = 'select from "orders".records t';

  test.each([
    ['42P01', 'relation "orders.records"'],
    ['42703', 'column t.owned'],
    ['3F000', 'schema "orders"'],
  ])('are named as the server names them: %s, %s', (code, object) => {
    const error = answer(code, `${object} does not exist`, statement);
    expect(error).toBeInstanceOf(SchemaError);
    expect(error.message).toContain(`missing in schema "orders", or older than`);
    expect(error.message).toContain(`(SQLSTATE ${code}, ${object}): run migrate(sql)`);
  });

  test.each([
    'function f() does not exist',
    'my relation "x" does not exist',
    'relation "x" does not exist, or is secret',
  ])('are not named by another text: %s', (text) => {
    expect(answer('42P01', text).message).toContain(
      'the tables of handle-once are missing, or older than this version, or have lost a column (SQLSTATE 42P01): ',
    );
  });
});

describe('A right that is missing', () => {
  const statement = 'insert into "orders".failures select from "orders".records';
  const all =
    /; grant select, insert, update on "orders"\.records to ROLE;.* grant select, insert on "orders"\.failures/;

  test('is one in the default schema without an option for that', () => {
    const { message } = answer(
      '42501',
      'permission denied for schema handle_once',
      'from "handle_once".stats',
    );
    expect(message).toContain('(npx handle-once grants ROLE --for handle prints all that it needs): ');
    expect(answer('42501', 'no', statement).message).toContain('--for handle --schema "orders" prints');
  });

  test('is named with the table', () => {
    const { message } = answer('42501', 'permission denied for table failures', statement);
    expect(message).toMatch(/lacks a right on table failures \(SQLSTATE 42501\): as the owner/);
    expect(message).toMatch(
      /: grant usage on schema "orders" to ROLE; grant select, insert on "orders"\.failures to ROLE;$/,
    );
  });

  test.each([
    ['permission denied for schema orders', 'schema orders'],
    ['permission denied for table of_another', 'table of_another'],
    ['must be owner of table records', 'the tables of handle-once or their schema'],
    ['it says: permission denied for table failures', 'the tables of handle-once or their schema'],
  ])('is one of all, where the server says: %s', (text, what) => {
    const { message } = answer('42501', text, statement);
    expect(message).toContain(`lacks a right on ${what} (SQLSTATE 42501): `);
    expect(message).toMatch(all);
  });

  test('is one that migrate needs, where the statement is about no table', () => {
    const { message } = answer('42501', 'permission denied for database app');
    expect(message).toMatch(/lacks a right on database app \(SQLSTATE 42501\): run migrate\(sql\) as a role/);
  });

  test('is one on a partition, where a walk names that', () => {
    const step = 'with x as (\nselect from only "orders".records_1 t\n) delete from "orders".failures';
    expect(answer('42501', 'permission denied for table records_1', step).message).toMatch(
      /each partition of the records: grant select, update, delete on "orders"\.records_1 to ROLE;$/,
    );
    for (const other of ['permission denied for table failures', 'permission denied for schema orders', 'no'])
      expect(answer('42501', other, step).message).not.toContain('partition');
  });

  test('is absent where row level security refuses a row', () => {
    const text = 'new row violates row-level security policy for table "records"';
    expect(answer('42501', text, statement).message).toMatch(/^row level security is on .*doctor/);
    expect(answer('42501', `no ${text}`, statement).message).toMatch(/lacks a right/);
  });
});

describe('A database that cannot be reached', () => {
  test.each([
    ['TLS_REFUSED', { retriable: false, mayHaveLanded: false }, '(TLS_REFUSED): do this'],
    ['NO_TLS_', { retriable: true, mayHaveLanded: true }, '(NO_TLS_): send the call again;'],
    ['CONNECT_TIMEOUT', { retriable: true, mayHaveLanded: false }, '(CONNECT_TIMEOUT): check that it runs'],
    ['ECONNRESET', { retriable: true, mayHaveLanded: true }, '(ECONNRESET): send the call again;'],
  ])('with %s', (code, facts, says) => {
    const failure = toStoreError(Object.assign(new Error('do this'), { code }));
    expect(failure).toMatchObject(facts);
    expect(failure.message).toContain(`the database cannot be reached ${says}`);
  });

  test.each([
    ['a code', Object.assign(new Error('no'), { code: 'CONNECTION_ENDED' }), 'CONNECTION_ENDED'],
    [
      'a text',
      new Error('Cannot use a pool after calling end on the pool'),
      'Cannot use a pool after calling end on the pool',
    ],
  ])('by a client that was closed, with %s', (_, error, says) => {
    const failure = toStoreError(error);
    expect(failure).toMatchObject({ retriable: false, mayHaveLanded: false });
    expect(failure.message).toBe(`the client was closed (${says}): end it after the workers have stopped`);
  });
});
