/** A header of a response, with its name in lower case. A header with two values is there twice. */
export type Header = readonly [name: string, value: string];

/** The name of a header. */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/** Without them the bytes of a body cannot be read. */
const ALWAYS_KEPT = ['content-type', 'content-encoding'];

/** The headers that a replay has too, unless others are chosen. */
export const DEFAULT_KEPT_HEADERS: readonly string[] = [
  'cache-control',
  'content-disposition',
  'content-language',
  'content-location',
  'etag',
  'last-modified',
  'link',
  'location',
  'vary',
];

/** Headers that hold credentials, that belong to one connection, or that a replay sets itself. */
const NEVER_KEPT: ReadonlySet<string> = new Set([
  ...['authentication-info', 'authorization', 'cookie', 'proxy-authenticate', 'proxy-authentication-info'],
  ...['proxy-authorization', 'set-cookie', 'set-cookie2', 'www-authenticate'],
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['content-length', 'date', 'idempotency-key', 'idempotency-status'],
]);

/** Whether a header can be stored. */
export function mayBeKept(name: string): boolean {
  return !NEVER_KEPT.has(name.toLowerCase());
}

/** The names of the headers to store, in lower case. */
export function namesToKeep(chosen: readonly string[]): ReadonlySet<string> {
  return new Set([...ALWAYS_KEPT, ...chosen.map((name) => name.toLowerCase())]);
}

export function keptOf(headers: Iterable<Header>, names: ReadonlySet<string>): readonly Header[] {
  return [...headers].filter(([name]) => names.has(name) && mayBeKept(name));
}
