import { expect, it } from 'vitest';
import { failure } from '../../../examples/demo/failure.ts';

const ended = AbortSignal.abort(new Error('ended by SIGINT'));

it.each([
  ['what went wrong', new Error('no queue'), undefined, 'no queue'],
  ['what went wrong before the end', new Error('no queue'), new AbortController().signal, 'no queue'],
  ['what ended it, instead of what broke by that', new Error('read ECONNRESET'), ended, 'ended by SIGINT'],
  ['what was missing then', new Error('ended by SIGINT: much'), ended, 'ended by SIGINT: much'],
])('says %s', (_, error, signal, text) => {
  expect(failure(error, signal)).toBe(text);
});
