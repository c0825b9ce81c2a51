import {
  AbortedError,
  InvalidKeyError,
  type Outcome,
  PayloadMismatchError,
  StoreError,
  UnhashablePayloadError,
} from 'handle-once';
import { describe, expect, it, test } from 'vitest';
import { type Answer, answerOf, type AnswerTerms, type Ran } from '../../adapters/http/answer.ts';
import { PROBLEMS } from '../../adapters/http/problem.ts';
import type { StoredResponse } from '../../adapters/http/stored-response.ts';
import { type Handled, refused } from '../../src/words/endings.ts';

const terms: AnswerTerms = { inFlightStatus: 409, retryAfterSeconds: 1, inTransaction: false };
const stored: StoredResponse = { status: 201, headers: [['location', '/orders/1']], text: 'hello' };
const pending = (reason: Extract<Outcome<never>, { state: 'pending' }>['reason'], retryAfterMs = 0) =>
  ({ state: 'pending', reason, retryAfterMs, attempts: 1 }) as const;
const succeeded = (result: unknown, replayed = true) =>
  ({ state: 'succeeded', replayed, attempts: 1, result }) as Handled<StoredResponse>;
const failed = { state: 'failed', reason: 'terminal', replayed: true, attempts: 1 } as never;
const produced: Ran<string> = { produced: { own: 'mine', status: 201, stored } };
const thrown: Ran<string> = { thrown: { error: new Error('boom') } };

function answer(handled: Handled<StoredResponse>, ran: Ran<string> = {}, of = terms): Answer<string> {
  return answerOf(handled, ran, of);
}

describe('Without a run of the handler', () => {
  it.each<[what: string, handled: Handled<StoredResponse>, status: number, retryAfterSeconds?: number]>([
    ['in flight', pending('in-flight', 30_000), 409, 1],
    ['waiting for the time that a RetryableError asked for', pending('released', 90_001), 503, 91],
    ['a suspect', pending('suspect', 10), 503, 1],
    ['lost before it ran', pending('lease-lost', 500), 503, 1],
    ['not on record', pending('unrecorded', 2_000), 503, 2],
    ['failed permanently', failed, 500],
    ['without a result', succeeded(undefined), 410],
    ['without a body', succeeded({ status: 201, headers: [] }), 410],
    ['with what is no response', succeeded('text'), 500],
    ['used for another request', refused(new PayloadMismatchError('s', 'k')), 422],
    ['not comparable', refused(new UnhashablePayloadError('no')), 400],
    ['no key', refused(new InvalidKeyError('no')), 400],
    ['of a store that is down', refused(new StoreError('down', { retriable: true })), 503, 1],
    ['aborted', refused(new AbortedError('no')), 503],
    ['broken', refused(new TypeError('no')), 500],
  ])('a request that is %s is answered %#', (_, handled, status, retryAfterSeconds) => {
    const told = answer(handled);
    expect(told).toMatchObject({ kind: 'problem', problem: { status } });
    expect(told.kind === 'problem' && told.problem.retryAfterSeconds).toBe(retryAfterSeconds);
  });

  it('a duplicate can be answered 202, with a time of its own', () => {
    const chosen = { ...terms, inFlightStatus: 202, retryAfterSeconds: 7 } as const;
    expect(answer(pending('in-flight', 30_000), {}, chosen)).toMatchObject({
      problem: { name: 'in-flight', status: 202, retryAfterSeconds: 7 },
    });
  });

  it('a stored response is replayed', () => {
    expect(answer(succeeded(stored))).toEqual({ kind: 'replay', stored, body: Buffer.from('hello') });
  });

  it('a response whose body was not kept still says where its resource is', () => {
    const { headers } = stored;
    const handled = succeeded({ status: 201, headers: [...headers, ['etag', '"1"']] });
    expect(answer(handled)).toMatchObject({ problem: { name: 'not-kept', headers } });
  });
});

describe('What the handler answered', () => {
  it.each<[string, Handled<StoredResponse>]>([
    ['stored', succeeded(stored, false)],
    ['lease-lost', pending('lease-lost')],
    ['unrecorded', pending('unrecorded')],
  ])('reaches its client, %s', (type, handled) => {
    expect(answer(handled, produced)).toEqual({ kind: 'own', type, status: 201, own: 'mine' });
  });

  it.each([false, true])(
    'reaches its client where it is not stored, in a transaction: %s',
    (inTransaction) => {
      const busy: Ran<string> = { produced: { own: 'mine', status: 429, stored: undefined } };
      const told = answer(pending('released'), busy, { ...terms, inTransaction });
      expect(told).toEqual({ kind: 'own', type: 'released', status: 429, own: 'mine' });
    },
  );

  it('does not where its COMMIT was refused: the event has the error', () => {
    const error = { name: 'PostgresError', message: 'violates foreign key constraint', code: '23503' };
    const told = answer({ ...pending('released'), error }, produced, { ...terms, inTransaction: true });
    expect(told).toMatchObject({ problem: { name: 'released', status: 503, retryAfterSeconds: 1 }, error });
  });

  it.each(['lease-lost', 'unrecorded'] as const)(
    'does not where its transaction may have undone it: %s',
    (reason) => {
      const told = answer(pending(reason), produced, { ...terms, inTransaction: true });
      expect(told).toMatchObject({ kind: 'problem', problem: { name: reason, status: 503 } });
    },
  );
});

test.each<[string, Handled<StoredResponse>]>([
  ['released', pending('released')],
  ['released', pending('deferred')],
  ['failed', failed],
  ['lease-lost', pending('lease-lost')],
  ['unrecorded', pending('unrecorded')],
])('what the handler threw is thrown on: %s', (type, handled) => {
  expect(answer(handled, thrown)).toMatchObject({ kind: 'threw', type, error: { message: 'boom' } });
});

test('no answer of the adapter’s own is a 2xx', () => {
  for (const { status } of Object.values(PROBLEMS)) expect(status).toBeGreaterThanOrEqual(400);
});
