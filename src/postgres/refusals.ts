/** What the server refused, and what to do. */
export interface Refusal {
  readonly happened: string;
  readonly fix: string;
  /** Where the class of the SQLSTATE says otherwise. */
  readonly retriable?: boolean;
}

/** How a client prepares nothing. */
export const UNPREPARED =
  'make the client with prepare: false, as in postgres(url, { prepare: false }), fromPg(pool, { prepare: false }) ' +
  'or fromKnex(knex, { prepare: false })';

export const SHARED_SESSIONS: Refusal = {
  happened: 'a pooler shares the server sessions, and prepared statements do not survive that',
  fix: `${UNPREPARED}. From now on this client does not prepare statements`,
  retriable: true,
};

export const READ_ONLY_STATE = '25006';
export const READ_ONLY: Refusal = {
  happened:
    'the database accepts no writes: it is a standby, default_transaction_read_only is on, or the transaction was made ' +
    'read-only',
  fix:
    'connect the client to the primary, turn that setting off for this role and database, or leave the transaction ' +
    'READ WRITE',
};

/** By SQLSTATE. */
export const REFUSALS: Readonly<Record<string, Refusal>> = {
  [READ_ONLY_STATE]: READ_ONLY,
  '22P05': {
    happened:
      'the key, the scope or an error has a character that the encoding of the database does not have',
    fix: 'create a database with the encoding UTF8 for the records',
  },
  '25P02': {
    happened: 'an earlier statement of the transaction failed, and its error was caught or not awaited',
    fix: 'await every statement, and let its error reach handle-once. To go on after one, run it in a savepoint',
  },
  '26000': SHARED_SESSIONS,
  '42P05': SHARED_SESSIONS,
  '28000': {
    happened: 'the server does not let this role log in',
    fix: 'check the role name, its LOGIN right, TLS and pg_hba.conf',
  },
  '28P01': {
    happened: 'the password is wrong',
    fix: 'correct the password in the settings of the client',
  },
  '3D000': {
    happened: 'the database does not exist',
    fix: 'create it, or correct its name in the settings of the client',
  },
  '42704': {
    happened:
      'the server does not know a setting, such as a parameter of the URL that is meant for another client',
    fix: 'leave schema, pgbouncer, connection_limit and the like out of the URL: postgres sends them to the server',
  },
  '53300': {
    happened: 'the server has no connection left',
    fix: 'make the pools of the clients smaller, or raise max_connections or the limit of the role',
  },
  '42P10': {
    happened:
      'a table of handle-once has lost its primary key, or is in a publication that has not all of its columns and rows',
    fix: 'npx handle-once doctor names a lost key, and the statement that creates it again; publish the whole table',
  },
  '55000': {
    happened:
      'a table in this form cannot be changed, such as one with a deferrable primary key, or one in a publication ' +
      'that has no replica identity',
    fix: 'npx handle-once doctor names the table and what to do',
  },
  P0001: {
    happened: 'a trigger or function of the database raised an error',
    fix: "check the triggers on the tables of handle-once; the server's log has the text of the error",
  },
  '57014': {
    happened: 'statement_timeout or a cancel ended the statement',
    fix:
      'keep statement_timeout above 1 s for the client, its role and its database, since a statement waits for a ' +
      'locked record; then send the call again',
  },
  '57P01': { happened: 'the server closed the connection, as in a restart', fix: 'send the call again' },
  '57P03': { happened: 'the server is starting or shutting down', fix: 'send the call again' },
};
