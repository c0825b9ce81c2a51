import { isUtf8 } from 'node:buffer';
import type { Header } from './kept-headers.ts';

/** A response as its record keeps it, in JSON. Without `text` and `base64` the body could not be kept. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: readonly Header[];
  /** The body where it is UTF-8. */
  readonly text?: string;
  /** The body where it is not. */
  readonly base64?: string;
}

/** `body` is undefined where it was not read. It is left out where the JSON would be larger than `maxBytes`. */
export function toStored(
  { status, headers, body }: { status: number; headers: readonly Header[]; body: Buffer | undefined },
  maxBytes: number,
): StoredResponse {
  const withoutBody = { status, headers };
  if (body === undefined || body.length > maxBytes) return withoutBody;
  const stored = isUtf8(body)
    ? { ...withoutBody, text: body.toString() }
    : { ...withoutBody, base64: body.toString('base64') };
  return Buffer.byteLength(JSON.stringify(stored)) > maxBytes ? withoutBody : stored;
}

/** The bytes of the body. Undefined where they could not be kept. */
export function bodyIn({ text, base64 }: StoredResponse): Buffer | undefined {
  if (text !== undefined) return Buffer.from(text);
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}

/** Whether the result of a record is a response: a record that was edited by hand may have another. */
export function isStoredResponse(result: unknown): result is StoredResponse {
  if (typeof result !== 'object' || result === null) return false;
  const { status, headers } = result as Partial<StoredResponse>;
  return typeof status === 'number' && Array.isArray(headers);
}
