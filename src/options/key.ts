import { InvalidKeyError } from '../words/errors.ts';
import { kindOf } from '../lib/kind-of.ts';
import { createHash } from 'node:crypto';

/** The longest key, scope or child-key name, in UTF-16 code units (what `.length` says). */
export const MAX_KEY_LENGTH = 512;

/**
 * What is wrong with a key, or undefined. Nothing is trimmed or normalised: two keys are one only if they are equal.
 *
 * Postgres cannot store NUL, and every lone surrogate becomes the same replacement character on the wire.
 */
export function keyFault(value: unknown): string | undefined {
  if (typeof value !== 'string') return `must be a string, got ${kindOf(value)}`;
  if (value.length === 0) return 'must not be empty';
  if (value.length > MAX_KEY_LENGTH) {
    return `must be at most ${MAX_KEY_LENGTH} characters, got ${value.length}; hash a longer one yourself`;
  }
  if (value.includes('\0')) return 'must not contain a NUL character';
  if (!value.isWellFormed()) return 'must not contain a lone surrogate (half of a UTF-16 pair)';
  return undefined;
}

/** Throws `InvalidKeyError` naming the field unless `value` is a valid key. */
export function checkKey(field: string, value: unknown): asserts value is string {
  const fault = keyFault(value);
  if (fault !== undefined) throw new InvalidKeyError(`${field} ${fault}`);
}

const DOMAIN = 'handle-once/child-key';

/**
 * A key for one effect of one message: the same on every attempt, and no other's.
 *
 * SHA-256, in hexadecimal, over length-prefixed parts, so that no two different triples are the same bytes. The value
 * never changes between versions: it may be stored at a payment provider.
 */
export function childKey(scope: string, key: string, name: string): string {
  const hash = createHash('sha256');
  for (const part of [DOMAIN, scope, key, name]) {
    const bytes = Buffer.from(part, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  }
  return hash.digest('hex');
}

/** The method `childKey` of an attempt. It throws `InvalidKeyError` on a name that is no valid key. */
export function childKeysOf(scope: string, key: string): (name: string) => string {
  return (name) => {
    checkKey('childKey name', name);
    return childKey(scope, key, name);
  };
}
