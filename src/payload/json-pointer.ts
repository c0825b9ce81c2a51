const SYNTAX = /^(?:\/(?:[^~/]|~[01])*)+$/;
const INDEX = /^(?:0|[1-9]\d*)$/;

/** Whether a text is a JSON pointer (RFC 6901) to a member, such as `/id` or `/data/0/id`. */
export function isJsonPointer(text: string): boolean {
  return SYNTAX.test(text);
}

/** What a pointer points at; undefined where there is nothing. */
export function valueAt(document: unknown, pointer: string): unknown {
  return tokensOf(pointer).reduce(memberOf, document);
}

/** The names that lead to what a pointer points at. `~1` first: `~01` is the name `~1`, not `/`. */
export function tokensOf(pointer: string): string[] {
  const tokens = pointer.split('/').slice(1);
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Own members only: a document has no member `constructor` unless it says so. */
function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  if (Array.isArray(value) && !INDEX.test(name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
