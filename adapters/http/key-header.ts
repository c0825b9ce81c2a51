/** What a request has as `Idempotency-Key`. */
export type KeyHeader =
  | { readonly kind: 'absent' }
  | { readonly kind: 'key'; readonly key: string }
  /** The header is there, and is no key. */
  | { readonly kind: 'malformed' };

const MAX_KEY_LENGTH = 255;

// The parts of an Item of RFC 8941, sections 3.1.2 and 3.3.
const STRING = String.raw`"(?:[ !#-\[\]-~]|\\["\\])*"`;
const NUMBER = String.raw`-?\d{1,15}(?:\.\d{1,3})?`;
const TOKEN = String.raw`[A-Za-z*][\w!#$%&'*+.^|~:/\x60-]*`;
const BYTES = ':[A-Za-z0-9+/=]*:';
const BOOLEAN = String.raw`\?[01]`;
const PARAMETER = String.raw`; *[a-z*][a-z0-9_.*-]*(?:=(?:${STRING}|${NUMBER}|${TOKEN}|${BYTES}|${BOOLEAN}))?`;

/** A String with parameters, which mean nothing here. */
const QUOTED = new RegExp(`^ *(${STRING})(?:${PARAMETER})* *$`);

/** Visible ASCII without the quotation mark, and without the comma: that joins two headers to one value. */
const BARE = /^[!#-+\--~]+$/;

/**
 * Reads the header `Idempotency-Key`. `"a"` and `a` are the same key; with `strict` only the first, a String of
 * structured fields (RFC 8941), is one. Two headers, which come joined by a comma, are none unless the quotes span
 * both; neither is a key that is empty or has more than 255 characters.
 */
export function readKeyHeader(value: string | undefined, strict: boolean): KeyHeader {
  if (value === undefined) return { kind: 'absent' };
  const key = quoted(value) ?? (strict ? undefined : bare(value));
  if (key === undefined || key === '' || key.length > MAX_KEY_LENGTH) return { kind: 'malformed' };
  return { kind: 'key', key };
}

function quoted(value: string): string | undefined {
  const text = QUOTED.exec(value)?.[1];
  return text?.slice(1, -1).replaceAll(/\\(.)/g, '$1');
}

function bare(value: string): string | undefined {
  return BARE.test(value) ? value : undefined;
}
