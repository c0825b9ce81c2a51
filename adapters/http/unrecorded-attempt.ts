import { randomUUID } from 'node:crypto';
import { childKey, keyFault } from '../../src/adapter-kit.ts';
import { InvalidKeyError } from '../../src/index.ts';
import type { HttpAttempt } from './options.ts';

/** The attempt of a request that is not recorded: no other has its keys. */
export function unrecordedAttempt(scope: string): HttpAttempt {
  const key = randomUUID();
  return {
    key,
    scope,
    number: 1,
    signal: new AbortController().signal,
    idempotencyKey: undefined,
    childKey(name) {
      const fault = keyFault(name);
      if (fault !== undefined) throw new InvalidKeyError(`childKey name ${fault}`);
      return childKey(scope, key, name);
    },
  };
}
