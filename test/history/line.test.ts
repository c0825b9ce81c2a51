import { describe, expect, test } from 'vitest';
import type { HandleOnceEvent } from '../../src/reporting/events.ts';
import { NotStartedError } from '../../src/words/not-started-error.ts';
import { type BadEnding, lineOf } from '../../src/history/line.ts';
import { UnlistedError } from '../../src/history/unlisted-error.ts';
import { WORKER_ID } from '../../src/lib/worker-id.ts';
import type { Emitted } from '../../src/reporting/event-sink.ts';

type Event = Emitted<HandleOnceEvent>;

const of = { scope: 'billing', key: 'order-7' };
const end = { ...of, state: 'pending', attempts: 3, durationMs: 12.6 } as const;
const error = new TypeError('no such card');
const ERROR = '{"name":"TypeError","message":"no such card"}';

const LINES: [string, Event, { ending: BadEnding; attempt: number; batchSize?: number; error?: string }][] = [
  [
    'released',
    { type: 'released', ...end, retryAfterMs: 1, error },
    { ending: 'released', attempt: 3, error: ERROR },
  ],
  [
    'interrupted, which is not counted',
    { type: 'released', ...end, retryAfterMs: 1, interrupted: true, error },
    { ending: 'interrupted', attempt: 4, error: ERROR },
  ],
  [
    'failed',
    { type: 'failed', ...end, state: 'failed', reason: 'terminal', error },
    { ending: 'failed', attempt: 3, error: ERROR },
  ],
  ['lease-lost', { type: 'lease-lost', ...end }, { ending: 'lease-lost', attempt: 3 }],
  [
    'released in a batch',
    { type: 'released', ...end, batchSize: 10, retryAfterMs: 1, error },
    { ending: 'released', attempt: 3, batchSize: 10, error: ERROR },
  ],
  ['unrecorded', { type: 'unrecorded', ...end, error }, { ending: 'unrecorded', attempt: 3, error: ERROR }],
];

describe('A line is made of an attempt that', () => {
  test.each(LINES)('%s', (_, event, line) => {
    const rest = { ...of, worker: WORKER_ID, tookMs: 13, batchSize: null, error: null };
    expect(lineOf(event)).toEqual({ ...rest, ...line });
  });

  test('was taken over: of the one before, and of its worker', () => {
    const line = {
      ...of,
      attempt: 2,
      ending: 'died',
      worker: 'a1b2c3d4',
      tookMs: null,
      batchSize: null,
      error: null,
    };
    expect(lineOf({ type: 'taken-over', ...of, attempts: 3, from: 'a1b2c3d4' })).toEqual(line);
  });

  test('died, and whose claim found the deaths used up', () => {
    const event: Event = { type: 'failed', ...end, state: 'failed', reason: 'deaths-exhausted', error };
    expect(lineOf(event)).toMatchObject({ attempt: 3, ending: 'died', worker: null });
  });
});

test.each<Event>([
  { type: 'claimed', ...of, attempts: 1 },
  { type: 'succeeded', ...end, state: 'succeeded' },
  { type: 'released', ...end, retryAfterMs: 0, interrupted: true, error: new NotStartedError('not yet') },
  { type: 'released', ...end, retryAfterMs: 0, error: new UnlistedError('the handler answered 401') },
  { type: 'deferred', ...end, retryAfterMs: 1, error },
  { type: 'in-flight', ...end, retryAfterMs: 1 },
])('no line is made of $type', (event) => {
  expect(lineOf(event)).toBeUndefined();
});
