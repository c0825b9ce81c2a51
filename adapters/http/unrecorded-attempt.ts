import { childKeysOf, clockOf } from '../../src/adapter-kit.ts';
import type { HttpAttempt, HttpSettings } from './options.ts';

/** The attempt of a request that is not recorded: no other has its keys. */
export function unrecordedAttempt({ handleOnce }: Pick<HttpSettings, 'handleOnce'>): HttpAttempt {
  const { scope } = handleOnce.settings;
  const key = clockOf(handleOnce).uuid();
  return {
    key,
    scope,
    number: 1,
    ageMs: 0,
    signal: new AbortController().signal,
    requestKey: undefined,
    childKey: childKeysOf(scope, key),
  };
}
