import type { ResultOmitted } from './outcome.ts';

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

/** Undefined for what JSON cannot express: BigInt, a cycle, a function, a toJSON that throws or gives nothing. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
