/** Headers as a request has them: `Headers`, what Node calls `IncomingHttpHeaders`, or entries. */
export type WebhookHeaders =
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Headers by name in lower case. A header that was sent twice has its values joined with commas, as in HTTP. */
export type PlainHeaders = Readonly<Record<string, string>>;

/** Undefined when it is none of the kinds of headers. */
export function toPlainHeaders(headers: unknown): PlainHeaders | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const entries: unknown[] = Symbol.iterator in headers ? [...iterable(headers)] : Object.entries(headers);
  const plain = new Map<string, string>();
  for (const entry of entries) {
    if (!Array.isArray(entry) || entry.length !== 2) return undefined;
    const [name, value] = entry as [unknown, unknown];
    if (typeof name !== 'string' || !isValue(value)) return undefined;
    for (const text of typeof value === 'string' ? [value] : (value ?? [])) {
      const before = plain.get(name.toLowerCase());
      plain.set(name.toLowerCase(), before === undefined ? text : `${before}, ${text}`);
    }
  }
  return Object.fromEntries(plain);
}

function iterable(value: object): Iterable<unknown> {
  return value as Iterable<unknown>;
}

function isValue(value: unknown): value is string | string[] | undefined {
  if (Array.isArray(value)) return value.every((text) => typeof text === 'string');
  return value === undefined || typeof value === 'string';
}
