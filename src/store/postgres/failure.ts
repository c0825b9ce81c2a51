import { type HandleOnceError, SchemaError, StoreError } from '../../errors.ts';

const MISSING_OBJECTS = new Set(['3F000', '42P01', '42703']);
const DATA_CLASS = '22';
/** Classes of SQLSTATE that a later try cannot mend: wrong data, wrong rights, wrong statement. */
const PERMANENT_CLASSES = new Set([DATA_CLASS, '0A', '23', '28', '42', '54']);

/** Codes of Node, and of `postgres`, for a connection that there never was. */
const NEVER_SENT = new Set([
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
]);

/** Answers of a server that is being stopped, or of something between: what was asked may have been done before. */
export const UNCERTAIN_CLASSES = new Set(['08', '57']);

/** Codes of the server: a digit first, or one of the four classes with a letter. None is a code of Node (`EPIPE`). */
const SQLSTATE = /^(?:[0-9][0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/;

/** The SQLSTATE of an error that came from the server; undefined for the client's and the network's own. */
export function sqlState(error: unknown): string | undefined {
  return codesOf(error).find((code) => SQLSTATE.test(code));
}

/** The driver's error as ours. The driver's message is not repeated: it can quote the values sent. */
export function toStoreError(error: unknown): HandleOnceError {
  const state = sqlState(error);
  if (state === undefined) {
    return new StoreError(`the database cannot be reached (${clientCode(error)})`, {
      retriable: true,
      mayHaveLanded: !NEVER_SENT.has(clientCode(error)),
      cause: driversOwn(error),
    });
  }
  if (MISSING_OBJECTS.has(state)) {
    return new SchemaError(
      `the tables of handle-once are missing or older than this version (SQLSTATE ${state}): ` +
        'run migrate(sql) with the same schema name, and check that this role may use the schema',
      { cause: driversOwn(error) },
    );
  }
  const stateClass = state.slice(0, 2);
  return new StoreError(`the database refused the statement (SQLSTATE ${state})`, {
    retriable: !PERMANENT_CLASSES.has(stateClass),
    dataRefused: stateClass === DATA_CLASS,
    mayHaveLanded: UNCERTAIN_CLASSES.has(stateClass),
    cause: driversOwn(error),
  });
}

function clientCode(error: unknown): string {
  return codesOf(error)[0] ?? 'unknown error';
}

/** Errors that libraries wrap around the driver's own can quote the statement with its values, as an ORM's do. */
function driversOwn(error: unknown): unknown {
  return layersOf(error).findLast((layer) => layer instanceof Error) ?? error;
}

/** Prisma keeps the server's code as the second. */
const CODE_NAMES = ['code', 'originalCode'];
/** Where libraries keep the error that they wrap: the standard's place, TypeORM's, and Prisma's two. */
const WRAPPED_AS = ['cause', 'driverError', 'meta', 'driverAdapterError'];
/** An error can wrap itself. */
const MAX_LAYERS = 10;

type Layer = Readonly<Record<string, unknown>>;

function codesOf(error: unknown): string[] {
  const codes = layersOf(error).flatMap((layer) => CODE_NAMES.map((name) => layer[name]));
  return codes.filter((code) => typeof code === 'string');
}

/** An error and those that it wraps, the outermost first. */
function layersOf(error: unknown): Layer[] {
  const layers = [error].filter(isLayer);
  for (const layer of layers) {
    const wrapped = WRAPPED_AS.map((name) => layer[name]).filter(isLayer);
    layers.push(...wrapped.slice(0, MAX_LAYERS - layers.length));
  }
  return layers;
}

function isLayer(value: unknown): value is Layer {
  return typeof value === 'object' && value !== null;
}
