import { types } from 'node:util';
import { hidesContent, isPlain } from './hidden-content.ts';
import type { ResultOmitted } from '../words/outcome.ts';

/** A result as the record keeps it: JSON text, null for undefined, or the reason why it is left out. */
interface EncodedResult {
  readonly result: string | null;
  readonly resultOmitted: ResultOmitted | null;
}

/** Encodes what a handler returned. It never throws: the effect has happened, whatever the result looks like. */
export function encodeResult(value: unknown, maxBytes: number): EncodedResult {
  if (value === undefined) return { result: null, resultOmitted: null };
  try {
    const json = JSON.stringify(value) as string | undefined;
    if (json === undefined) return omitted('not-serializable');
    if (Buffer.byteLength(json) > maxBytes) return omitted('too-large');
    return hasHiddenContent(value) ? omitted('not-serializable') : { result: json, resultOmitted: null };
  } catch {
    // A BigInt, a cycle, a getter or a toJSON that throws.
    return omitted('not-serializable');
  }
}

function omitted(why: ResultOmitted): EncodedResult {
  return { result: null, resultOmitted: why };
}

/** Whether a replay would lack what is in an object somewhere in it. Without a recursion: JSON can be deep. */
function hasHiddenContent(value: unknown): boolean {
  const rest = [value];
  while (rest.length > 0) {
    const part = shownBy(rest.pop());
    if (typeof part !== 'object' || part === null || isWhole(part)) continue;
    if (!Array.isArray(part) && !isPlain(part) && hidesContent(part)) return true;
    for (const name of Object.keys(part)) rest.push((part as Readonly<Record<string, unknown>>)[name]);
  }
  return false;
}

/** What an object wants to be in JSON. */
function shownBy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  return typeof toJSON === 'function' ? toJSON.call(value, '') : value;
}

/** Numbers by their index, or one value in a box: JSON shows all of it. */
function isWhole(value: object): boolean {
  return types.isTypedArray(value) || (types.isBoxedPrimitive(value) && !types.isSymbolObject(value));
}
