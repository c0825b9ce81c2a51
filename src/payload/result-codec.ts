import { types } from 'node:util';
import { isPlain } from './canonical-json.ts';
import type { ResultOmitted } from '../api/outcome.ts';

/** A result as the record keeps it: JSON text, null for undefined, or the reason why it is left out. */
export interface EncodedResult {
  readonly result: string | null;
  readonly resultOmitted: ResultOmitted | null;
}

/** Encodes what a handler returned. It never throws: the effect has happened, whatever the result looks like. */
export function encodeResult(value: unknown, maxBytes: number): EncodedResult {
  if (value === undefined) return { result: null, resultOmitted: null };
  const json = toJson(value);
  if (json === undefined) return { result: null, resultOmitted: 'not-serializable' };
  if (Buffer.byteLength(json) > maxBytes) return { result: null, resultOmitted: 'too-large' };
  return { result: json, resultOmitted: null };
}

/**
 * Undefined for what JSON cannot express: BigInt, a cycle, a function, a toJSON that throws or gives nothing; and for
 * an object of which it shows nothing, such as a Map, which a replay would give as `{}`.
 */
function toJson(value: unknown): string | undefined {
  try {
    const json = JSON.stringify(value) as string | undefined;
    // The look at each object is only for what could be one, since it makes this ten times as slow.
    return json?.includes('{}') === true && hidesContents(value) ? undefined : json;
  } catch {
    return undefined;
  }
}

function hidesContents(value: unknown): boolean {
  let hides = false;
  JSON.stringify(value, (_, member: unknown) => {
    hides ||= showsNothing(member);
    return member;
  });
  return hides;
}

function showsNothing(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.keys(value).length === 0 && !isPlain(value) && !types.isBoxedPrimitive(value);
}
