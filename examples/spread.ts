/** One consumer over several scopes or databases: docs/scaling.md. */
import { createHash } from 'node:crypto';
import type { HandleOnce } from 'handle-once';

/** Which of `parts` has the record of a key. Their number and their order may change after a drain alone. */
export function spread<Tx>(parts: readonly HandleOnce<Tx>[]): (key: string) => HandleOnce<Tx> {
  return (key) => {
    const hash = createHash('sha256').update(key).digest().readUInt32BE();
    return parts[hash % parts.length] as HandleOnce<Tx>;
  };
}
