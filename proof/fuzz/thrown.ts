import * as fc from 'fast-check';
import { InvalidPayloadError, RetryableError, TerminalError } from '../../src/index.ts';
import { hostileProxy, withGetters } from '../../test/support/hostile.ts';
import { anyValue, type Later, trickyText } from './values.ts';

const name = fc.oneof(trickyText, fc.constant('E'.repeat(5_000)));

function withCauseOfItself(error: Error): Error {
  error.cause = error;
  return error;
}

const error = fc
  .record({ name: anyValue, message: name, code: anyValue, cause: anyValue })
  .map((parts): Later<unknown> => () => {
    const thrown = new Error(parts.message, { cause: parts.cause() });
    return Object.assign(thrown, { name: parts.name(), code: parts.code() });
  });

/** Anything that a handler, or a function in the options, can throw. */
export const anyThrown: fc.Arbitrary<Later<unknown>> = fc.oneof(
  { weight: 3, arbitrary: error },
  { weight: 2, arbitrary: anyValue },
  name.map((text) => () => new TerminalError(text, { code: text })),
  fc.tuple(name, anyValue).map(([text, wait]) => () => {
    return new RetryableError(text, { retryAfterMs: wait() as number });
  }),
  name.map((text) => () => new InvalidPayloadError(text)),
  name.map((text) => () => withCauseOfItself(new Error(text))),
  fc.constantFrom<Later<unknown>>(
    () => withGetters(new Error('x'), 'name'),
    () => withGetters(new Error('x'), 'stack', 'message', 'cause', 'code'),
    () => withGetters(new RetryableError('x'), 'retryAfterMs'),
    () => Object.freeze(new TerminalError('x')),
    () => hostileProxy(new Error('x')),
    () => hostileProxy(new TerminalError('x')),
    () => new AggregateError([new Error('one')], 'many'),
    () => new DOMException('aborted', 'AbortError'),
  ),
);
