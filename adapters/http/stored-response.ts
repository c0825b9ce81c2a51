import { isUtf8 } from 'node:buffer';
import { type Header, HEADER_NAME, mayBeKept } from './kept-headers.ts';

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

/** The value of a header, as Node and the Fetch standard take it. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whether the result of a record is a response: a record that was damaged, or edited by hand, may have another. */
export function isStoredResponse(result: unknown): result is StoredResponse {
  if (typeof result !== 'object' || result === null) return false;
  const { status, headers, text, base64 } = result as Partial<Record<keyof StoredResponse, unknown>>;
  return (
    Number.isInteger(status) &&
    Number(status) >= 200 &&
    Number(status) <= 599 &&
    Array.isArray(headers) &&
    headers.every(isHeader) &&
    isBody(text, base64)
  );
}

/** Of a body there is one form, or none. */
function isBody(text: unknown, base64: unknown): boolean {
  if (text === undefined) return base64 === undefined || (typeof base64 === 'string' && isBase64(base64));
  return base64 === undefined && typeof text === 'string' && text.isWellFormed();
}

/** As `toStored` writes it: Node reads anything. */
function isBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('base64') === text;
}

function isHeader(header: unknown): header is Header {
  if (!Array.isArray(header)) return false;
  const [name, value] = header as readonly unknown[];
  return (
    typeof name === 'string' &&
    HEADER_NAME.test(name) &&
    mayBeKept(name) &&
    typeof value === 'string' &&
    HEADER_VALUE.test(value)
  );
}
