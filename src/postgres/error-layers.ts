/** Prisma keeps the server's code as the second. */
const CODE_NAMES = ['code', 'originalCode'];
/** Where libraries keep the error that they wrap: the standard's place, TypeORM's, and Prisma's two. */
const WRAPPED_AS = ['cause', 'driverError', 'meta', 'driverAdapterError'];
/** An error can wrap itself. */
const MAX_LAYERS = 10;

/**
 * Codes of the server: a digit first, or one of the four classes with a letter. None is a code of Node (`EPIPE`).
 */
const SQLSTATE = /^(?:[0-9][0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/;

/** An error, or an object that has one. */
export type Layer = Readonly<Record<string, unknown>>;

/** The SQLSTATE of an error that came from the server; undefined for the client's and the network's own. */
export function sqlState(error: unknown): string | undefined {
  return codesOf(error).find((code) => SQLSTATE.test(code));
}

/** Messages of `pg` for errors without a code. Other messages can quote values. */
const TEXTS_OF_PG =
  /^(?:Connection terminated|timeout exceeded when|Query read timeout|Cannot use a pool|Client (?:has encountered|was closed))/;

/** In place of a code, where an error has none and no text of `pg` that is known. */
export const UNKNOWN = 'unknown error';

/** The code of the client or the network, or a message instead. */
export function clientCode(error: unknown): string {
  const text = layersOf(error)
    .map(({ message }) => message)
    .find((message): message is string => typeof message === 'string' && TEXTS_OF_PG.test(message));
  return codesOf(error)[0] ?? text ?? UNKNOWN;
}

/** The errors of `postgres` and `pg` for a statement after their end. */
const CLOSED = new Set(['CONNECTION_ENDED', 'Cannot use a pool after calling end on the pool']);

/** Whether the client refused a statement because it was ended: it sent nothing. */
export function isClosed(error: unknown): boolean {
  return CLOSED.has(clientCode(error));
}

/** Whether `pg` gave up waiting for an answer, after its `query_timeout`: the statement may still be under way. */
export function isReadTimeout(error: unknown): boolean {
  return clientCode(error) === 'Query read timeout';
}

/** The hosts and ports that a connection was tried to, as far as the error has them. */
export function placesOf(error: unknown): string[] {
  return [...new Set(layersOf(error).flatMap(placeOf))];
}

function placeOf({ address, hostname, port }: Layer): string[] {
  const host = address ?? hostname;
  if (typeof host !== 'string') return [];
  if (typeof port !== 'number' && typeof port !== 'string') return [host];
  return [`${host.includes(':') ? `[${host}]` : host}:${port}`];
}

function codesOf(error: unknown): string[] {
  const codes = layersOf(error).flatMap((layer) => CODE_NAMES.map((name) => layer[name]));
  return codes.filter((code) => typeof code === 'string');
}

/** An error and the errors that it wraps, the outermost first. */
export function layersOf(error: unknown): Layer[] {
  const layers = [error].filter(isLayer);
  for (const layer of layers) {
    // Several addresses of one host have an error each.
    const several = Array.isArray(layer['errors']) ? (layer['errors'] as unknown[]) : [];
    const wrapped = [...WRAPPED_AS.map((name) => layer[name]), ...several].filter(isLayer);
    layers.push(...wrapped.slice(0, MAX_LAYERS - layers.length));
  }
  return layers;
}

function isLayer(value: unknown): value is Layer {
  return typeof value === 'object' && value !== null;
}
