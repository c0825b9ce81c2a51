import { InvalidKeyError } from '../words/errors.ts';
import { kindOf } from '../lib/kind-of.ts';

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
