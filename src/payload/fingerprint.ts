import { bytesOf, canonicalJson, Incomparable, type Walk } from './canonical-json.ts';
import { UnhashablePayloadError } from '../words/errors.ts';
import { parseExactly } from './exact-json.ts';
import { isA } from '../lib/safe-read.ts';
import crypto from 'node:crypto';

const { hash: found } = crypto as { readonly hash?: typeof crypto.hash };

// An older Node lacks this first. A named import would throw a SyntaxError that names no version.
if (found === undefined) {
  throw new Error(`handle-once needs Node 20.19 or newer, and this is Node ${process.versions.node}`);
}

/** The one-shot `hash` costs a third of `createHash`, even with a copy of the bytes. */
const oneShotHash = found;

/** Of the rules below. Fingerprints of two versions are not compared. */
const VERSION = '01';

/**
 * What a payload is compared by, in hexadecimal: two digits of version, and 64 of SHA-256.
 *
 * Text, and the bytes of a buffer or a view, are hashed as they are; any other value as JSON with sorted keys: a Date
 * is its text, NaN is null, undefined is absent, `new Number(1)` is 1. Unlike in JSON, a bigint differs from the
 * number, and a buffer inside an object is its bytes. The tags keep the text `1`, its bytes and the number 1 apart.
 *
 * Throws `UnhashablePayloadError`, which names the path, on what JSON does not show: a function, a symbol, a Map, a
 * Set, an Error or another such object, with or without members; on a cycle or more than 500 levels; and where a
 * getter, a `toJSON` or a Proxy throws.
 */
export function fingerprint(payload: unknown): string {
  if (typeof payload === 'string') return ofText(payload);
  const bytes = bytesOf(payload);
  if (bytes !== undefined) return sha256(Buffer.concat([BYTES, bytes]));
  return ofValue(payload, NONE);
}

/** Refuses invalid UTF-8: read leniently, different bytes would give the same text. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The same without the members at some places. Text and bytes are read as JSON, with all digits of their numbers, and
 * taken as they are where that fails: a sender must not be able to make a message that is always refused.
 */
export function fingerprintWithout(ignored: Walk['ignored'], payload: unknown): string {
  const content = typeof payload === 'string' ? payload : bytesOf(payload);
  if (content === undefined) return ofValue(payload, ignored);
  try {
    return ofValue(parseExactly(typeof content === 'string' ? content : UTF8.decode(content)), ignored);
  } catch {
    return fingerprint(payload);
  }
}

const NONE: Walk['ignored'] = [];

const BYTES = Buffer.from('bytes:');
const UTF16 = Buffer.from('utf16:');

/** `hash` reads a text as UTF-8, in which all lone surrogates are one and the same. */
function ofText(text: string): string {
  if (text.isWellFormed()) return sha256(`text:${text}`);
  return sha256(Buffer.concat([UTF16, Buffer.from(text, 'utf16le')]));
}

function sha256(content: string | Buffer): string {
  return VERSION + oneShotHash('sha256', content, 'hex');
}

function ofValue(payload: unknown, ignored: Walk['ignored']): string {
  const walk: Walk = { path: [], within: [], ignored };
  let json: string | undefined;
  try {
    json = canonicalJson(payload, walk);
  } catch (error) {
    throw unhashable(error, walk);
  }
  return sha256(`json:${json ?? 'undefined'}`);
}

function unhashable(error: unknown, { path }: Walk): UnhashablePayloadError {
  const refused = isA(error, Incomparable);
  const what = refused ? `is ${error.message}` : 'cannot be read (a getter or toJSON that throws)';
  return new UnhashablePayloadError(
    `${pathText(path)} ${what}, so the payload has no fingerprint: turn it into plain data; ` +
      'or pass the message body as text or bytes, and turn it into a value with the parse option; ' +
      'or choose what is compared with the fingerprint option',
    refused ? undefined : { cause: error },
  );
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const MAX_PLACE_LENGTH = 200;

/** As JavaScript writes it: `items[0].when`. A name that is no identifier, such as an address, is of a person: `*`. */
function pathText(path: readonly (string | number)[]): string {
  if (path.length === 0) return 'the payload';
  const text = path.map(memberText).join('').replace(/^\./, '');
  return text.length <= MAX_PLACE_LENGTH ? text : `${text.slice(0, MAX_PLACE_LENGTH).toWellFormed()}…`;
}

function memberText(member: string | number): string {
  if (typeof member === 'number') return `[${member}]`;
  return IDENTIFIER.test(member) ? `.${member}` : '.*';
}
