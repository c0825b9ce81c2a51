import { type HandleOnceError, SchemaError, StoreError } from '../../errors.ts';

const MISSING_OBJECTS = new Set(['3F000', '42P01', '42703']);
const DATA_CLASS = '22';
/** Classes of SQLSTATE that a later try cannot mend: wrong data, wrong rights, wrong statement. */
const PERMANENT_CLASSES = new Set([DATA_CLASS, '0A', '23', '28', '42', '54']);

/** The SQLSTATE of an error that came from the server; undefined for the client's and the network's own. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return /^[0-9A-Z]{5}$/.test(error.code) && 'severity' in error ? error.code : undefined;
}

/** The driver's error as ours. The driver's message is not repeated: it can quote the values sent. */
export function toStoreError(error: unknown): HandleOnceError {
  const state = sqlState(error);
  if (state === undefined) {
    return new StoreError(`the database cannot be reached (${clientCode(error)})`, {
      retriable: true,
      cause: error,
    });
  }
  if (MISSING_OBJECTS.has(state)) {
    return new SchemaError(
      `the tables of handle-once are missing or older than this version (SQLSTATE ${state}): ` +
        'run migrate(sql) with the same schema name, and check that this role may use the schema',
      { cause: error },
    );
  }
  const stateClass = state.slice(0, 2);
  return new StoreError(`the database refused the statement (SQLSTATE ${state})`, {
    retriable: !PERMANENT_CLASSES.has(stateClass),
    dataRefused: stateClass === DATA_CLASS,
    cause: error,
  });
}

function clientCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'unknown error';
}
