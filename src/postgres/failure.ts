import { type HandleOnceError, SchemaError, StoreError } from '../words/errors.ts';
import { clientCode, isClosed, placesOf, sqlState, UNKNOWN } from './error-layers.ts';
import { refusedObjects, safeCause } from './safe-cause.ts';
import { READ_ONLY, READ_ONLY_STATE, type Refusal, REFUSALS } from './refusals.ts';
import { DEFAULT_SCHEMA, quoteIdentifier } from './identifier.ts';
import { grantsOn, RIGHTS, type TableName, type Use } from './rights.ts';

const MISSING_OBJECTS = new Set(['3F000', '42P01', '42703']);
/** Classes of SQLSTATE that refuse the values of a row: the database's own, a constraint's, and a trigger's. */
const DATA_CLASSES = new Set(['22', '23', '44', 'P0']);
/**
 * Classes of SQLSTATE that a later try cannot cure: wrong data, wrong rights, wrong statement. All others can be sent
 * again: broken connections, conflicts, a server without resources or in a restart, and what has no code.
 */
const PERMANENT_CLASSES = new Set([...DATA_CLASSES, '0A', '28', '3D', '42', '54']);

/** Codes of Node, and of `postgres`, for a connection that was never made. */
const NEVER_SENT = new Set([
  'CONNECT_TIMEOUT',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
]);

/** A server that refuses TLS closes the connection as one that restarts does. */
const SEND_AGAIN =
  'send the call again; if it fails the same way each time, check TLS on client and server (sslmode), and the ' +
  'network between them';

/** A client that is set up wrongly throws errors without a code. Their texts can quote values. */
const SEE_CAUSE =
  'the text of the error is in its cause. Correct the client, such as its password or TLS, and connect it before it ' +
  'is used; or send the call again';

/** Answers of a server that is being stopped, or of a proxy: the statement may have been run before. */
export const UNCERTAIN_CLASSES = new Set(['08', '57']);

/** What the tables refuse that the migrations made, and somebody has altered since. */
const ALTERED: Readonly<Record<string, string>> = {
  '0A000':
    'the server cannot do this with a table in this form, such as one that has a rule or is distributed',
  '22001': 'a value is too long for its column',
  '23502': 'a column that handle-once does not write may not be null',
  '23514': 'a check constraint refused a row, or no partition takes it',
  '42804': 'a column has another type than the statement needs, which the cause of this error names',
  '42883': 'a column has another type than the statement needs, which the cause of this error names',
};
const INTEGRITY_CLASS = '23';

export const NO_PERMISSION = '42501';

/**
 * The driver's error as ours. Its own message is not repeated: it can quote the values sent. `statement` is ours, and
 * names the schema; `use` is what it was sent for.
 */
export function toStoreError(error: unknown, statement = '', use: Use = 'handle'): HandleOnceError {
  if (error instanceof StoreError) return error;
  const cause = safeCause(error);
  const options = { cause };
  const state = sqlState(error);
  if (state === undefined) {
    return unreachable(error, options);
  }
  if (MISSING_OBJECTS.has(state)) {
    return new SchemaError(
      `the tables of handle-once are missing${inSchema(statement)}, or older than this version, or have lost a ` +
        `column (SQLSTATE ${state}${missingObject(cause?.message)}): run migrate(sql), or npx handle-once migrate, ` +
        'with the same schema name, and check that this role may use the schema. migrate does not create anything ' +
        'twice: npx handle-once doctor names a lost table or column, and how to create it again',
      options,
    );
  }
  const stateClass = state.slice(0, 2);
  const refusal =
    state === NO_PERMISSION
      ? noPermission(use, statement, cause?.message)
      : (REFUSALS[state] ?? altered(state, statement, error) ?? unknownParameter(state, cause?.message));
  return new StoreError(messageOf(state, refusal), {
    retriable: refusal?.retriable ?? !PERMANENT_CLASSES.has(stateClass),
    dataRefused: DATA_CLASSES.has(stateClass),
    mayHaveLanded: UNCERTAIN_CLASSES.has(stateClass),
    ...options,
  });
}

function unreachable(error: unknown, options: { cause: Error | undefined }): StoreError {
  const code = clientCode(error);
  // Of guardedSocket: the message of the error is the fix.
  if (code.startsWith('TLS_')) {
    const message = `the database cannot be reached (${code}): ${options.cause?.message ?? ''}`;
    return new StoreError(message, { retriable: false, mayHaveLanded: false, ...options });
  }
  if (isClosed(error)) {
    const message = `the client was closed (${code}): end it after the workers have stopped`;
    return new StoreError(message, { retriable: false, mayHaveLanded: false, ...options });
  }
  const neverSent = NEVER_SENT.has(code);
  const places = placesOf(error);
  const where = places.length === 0 ? '' : ` at ${places.join(' and ')}`;
  return new StoreError(`the database cannot be reached${where} (${code}): ${fixOf(code)}`, {
    retriable: true,
    mayHaveLanded: !neverSent,
    ...options,
  });
}

function fixOf(code: string): string {
  if (NEVER_SENT.has(code)) return 'check that it runs, and the host and port of the client';
  return code === UNKNOWN ? SEE_CAUSE : SEND_AGAIN;
}

/** What a write would throw, after a failover until the client is connected to the new primary. */
export function readOnlyError(): StoreError {
  return new StoreError(messageOf(READ_ONLY_STATE, READ_ONLY), { retriable: true, mayHaveLanded: false });
}

/** What a settle would throw, after its handler has run. */
export function noRightsError(schema: string, lacked: string): SchemaError {
  const records = { records: RIGHTS.handle.records ?? '' };
  const fix = grantsText(quoteIdentifier(schema), 'handle', records);
  return new SchemaError(
    `the role of the client lacks ${lacked} on the table records in schema ${schema}: ${fix}`,
  );
}

function messageOf(state: string, refusal: Refusal | undefined): string {
  if (refusal === undefined)
    return `the database refused the statement (SQLSTATE ${state}): look it up in the server's log`;
  return `${refusal.happened} (SQLSTATE ${state}): ${refusal.fix}`;
}

const OUR_TABLE = new RegExp(String.raw`("(?:[^"]|"")+")\.(?:${Object.keys(RIGHTS.maintain).join('|')})\b`);
/** As a step of a walk names it. */
const LEAF = /\bfrom only (.+) t$/m;
const OWNER_RUNS = 'as the owner of the tables, run this with the name of that role instead of ROLE';
const DEFAULT_NAME = quoteIdentifier(DEFAULT_SCHEMA);
const DENIED = /^permission denied for (\w+ .+)$/;

/** As the server names it. */
function missingObject(serverSays = ''): string {
  const missing = /^((?:relation|column|schema) .+) does not exist$/.exec(serverSays)?.[1];
  return missing === undefined ? '' : `, ${missing}`;
}

/** Names what the server refuses, which holds no value. */
function altered(state: string, statement: string, error: unknown): Refusal | undefined {
  const isIntegrity = state.startsWith(INTEGRITY_CLASS);
  const happened = ALTERED[state] ?? (isIntegrity ? 'a constraint refused a row' : undefined);
  if (happened === undefined) return undefined;
  const objects = refusedObjects(error);
  const schema = OUR_TABLE.exec(statement)?.[1] ?? DEFAULT_NAME;
  return {
    happened: objects === '' ? happened : `${happened}: ${objects}`,
    fix:
      'the tables are not as the migrations made them. Compare them with what npx handle-once sql' +
      `${schemaFlag(schema)} prints, and undo the change`,
  };
}

/** PgBouncer's own answer: the server has seen nothing. */
function unknownParameter(state: string, serverSays = ''): Refusal | undefined {
  const name = /^unsupported startup parameter(?: in options)?: (\w+)$/.exec(serverSays)?.[1];
  if (state !== '08P01' || name === undefined) return undefined;
  return {
    happened: `PgBouncer refuses ${name}, a setting that the client sends when it connects`,
    fix:
      `remove it from the client, and run alter role ROLE set ${name} = … instead; or add it to ` +
      'ignore_startup_parameters of PgBouncer, which then ignores it',
  };
}

function inSchema(statement: string): string {
  const schema = OUR_TABLE.exec(statement)?.[1];
  return schema === undefined ? '' : ` in schema ${schema}`;
}

/** Names the right on the table that the server names, or, where that is none of ours, every right that is needed. */
function noPermission(use: Use, statement: string, serverSays = ''): Refusal {
  if (serverSays.startsWith('new row violates row-level security')) {
    return {
      happened:
        'row level security is on for the tables of handle-once, and no policy lets the role of the client write',
      fix: 'npx handle-once doctor, run as that role, names them and what to do',
    };
  }
  const schema = OUR_TABLE.exec(statement)?.[1];
  const denied = DENIED.exec(serverSays)?.[1];
  const happened = `the role of the client, or the one that its transaction has set, lacks a right on ${denied ?? 'the tables of handle-once or their schema'}`;
  if (schema === undefined) {
    return {
      happened,
      fix:
        'run migrate(sql) as a role that may create schemas and tables, and grant this one usage of the schema ' +
        'and select on its table migrations',
    };
  }
  const needed = Object.entries(RIGHTS[use]);
  const named = needed.filter(([table]) => denied === `table ${table}`);
  const leaf = LEAF.exec(statement)?.[1];
  if (leaf !== undefined && denied?.startsWith('table ') === true && named.length === 0) {
    return {
      happened,
      fix: `${OWNER_RUNS}, and the same for each partition of the records: grant ${RIGHTS.maintain.records} on ${leaf} to ROLE;`,
    };
  }
  const tables = Object.fromEntries(named.length > 0 ? named : needed);
  return { happened, fix: grantsText(schema, use, tables) };
}

/** The schema is quoted. */
function grantsText(schema: string, use: Use, tables: Readonly<Partial<Record<TableName, string>>>): string {
  const printed = `npx handle-once grants ROLE --for ${use}${schemaFlag(schema)}`;
  const script = grantsOn(schema, 'ROLE', tables)
    .map((grant) => `${grant};`)
    .join(' ');
  return `${OWNER_RUNS} (${printed} prints all that it needs): ${script}`;
}

/** Of the command. The schema is quoted. */
export function schemaFlag(schema: string): string {
  return schema === DEFAULT_NAME ? '' : ` --schema ${schema}`;
}
