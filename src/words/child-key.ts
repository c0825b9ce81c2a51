import { createHash } from 'node:crypto';

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
