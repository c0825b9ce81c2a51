/** Deeper than the options of any call, and not deep enough to walk through a client that is passed along. */
const MAX_DEPTH = 6;

/** The texts in the arguments of a call: in lists, objects, Maps, Headers, Requests and bytes too. */
export function textsIn(args: unknown): string[] {
  const seen = new Set<object>();
  const texts: string[] = [];

  function look(value: unknown, depth: number): void {
    if (typeof value === 'string') texts.push(value);
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || seen.has(value)) return;
    seen.add(value);
    if (ArrayBuffer.isView(value)) {
      texts.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString());
      return;
    }
    for (const member of membersOf(value)) look(member, depth + 1);
  }

  look(args, 0);
  return texts;
}

function membersOf(value: object): unknown[] {
  if (value instanceof Request) return [value.headers];
  return isIterable(value) ? [...value] : Object.values(value);
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value && typeof value[Symbol.iterator] === 'function';
}
