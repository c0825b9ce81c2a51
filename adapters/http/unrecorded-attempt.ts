import { randomUUID } from 'node:crypto';
import { checkKey, childKey } from '../../src/adapter-kit.ts';
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
      checkKey('childKey name', name);
      return childKey(scope, key, name);
    },
  };
}
