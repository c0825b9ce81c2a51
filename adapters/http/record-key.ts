import { createHash } from 'node:crypto';
import { InvalidOptionsError } from '../../src/index.ts';
import { kindOf } from '../../src/adapter-kit.ts';

/** Who sends a request: one text, or several parts such as a tenant and a user. */
export type HttpPrincipal = string | readonly string[];

const DOMAIN = 'handle-once/http-principal';

/** In place of the hash where all callers share their keys. No hash has this form. */
const NO_PRINCIPAL = '-';

/** The key of the record: the caller's hash, which always has the same length, and the key of the request. */
export function recordKey(caller: readonly string[] | null, key: string): string {
  return `${caller === null ? NO_PRINCIPAL : hashOf(caller)}:${key}`;
}

/** SHA-256 in hexadecimal over length-prefixed parts: `['a', 'bc']` and `['ab', 'c']` are two callers. */
function hashOf(caller: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of [DOMAIN, ...caller]) {
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  }
  return hash.digest('hex');
}

/**
 * What the `principal` function returned, as parts. Undefined where it found no caller: all such requests would be one
 * caller's. Throws `InvalidOptionsError` on what its type forbids.
 */
export function callerIn(subject: string, returned: unknown): readonly string[] | undefined {
  if (returned === undefined || returned === null) return undefined;
  // A copy has no holes.
  const parts: readonly unknown[] = Array.isArray(returned) ? Array.from<unknown>(returned) : [returned];
  if (!parts.every((part) => typeof part === 'string')) {
    throw wrongPrincipal(
      subject,
      `must return who sends the request, as a string or a list of strings, got ${kindOf(returned)}`,
    );
  }
  // The hash takes one for another.
  if (!parts.every((part) => part.isWellFormed())) {
    throw wrongPrincipal(subject, 'must not contain a lone surrogate (half of a UTF-16 pair)');
  }
  return parts.length === 0 || parts.includes('') ? undefined : parts;
}

function wrongPrincipal(subject: string, message: string): InvalidOptionsError {
  return new InvalidOptionsError(subject, [{ field: 'principal', message }]);
}
