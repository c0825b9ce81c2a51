import type { RecordView } from 'handle-once/operations';
import { expect, test } from 'vitest';
import { type Ended, meaningOf } from '../../adapters/operations/meaning.ts';

const OURS = { id: '00000001' };
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
const line = (ending: Ended['ending'], seconds: number, attempt = 1): Ended => ({
  ...{ attempt, ending, endedAt: at(seconds), worker: OURS },
});
/** First claimed at second 10, with a lease of 30 seconds. */
const record = (given: Partial<RecordView>) =>
  ({ state: 'pending', attempts: 1, createdAt: at(10), worker: OURS.id, ...given }) as RecordView;
const TAKEN_OVER = record({ attempts: 2, worker: '00000002' });

test.each([
  ['died, and its own line came when its lease was over', line('died', 40), line('lease-lost', 39), /lived/],
  ['died after its line of a run that was forgotten', line('died', 40), line('lease-lost', 19), /no sign/],
  ['died after its outcome was not recorded', line('died', 40), line('unrecorded', 39), /no sign/],
  ['died at another attempt than its line', line('died', 40), line('lease-lost', 39, 2), /no sign/],
])('one that %s', (_, died, own, meaning) => {
  expect(meaningOf(died, [own, died], TAKEN_OVER)).toMatch(meaning);
});

test.each<[Partial<RecordView>, RegExp]>([
  [{ state: 'succeeded' }, /was recorded after all$/],
  [{ state: 'failed', failedReason: 'terminal' }, /was recorded after all$/],
  [{ state: 'failed', failedReason: 'deaths-exhausted' }, /runs it again/],
  [{ state: 'pending' }, /runs it again/],
  [{ state: 'succeeded', attempts: 2, worker: '00000002' }, /runs it again/],
  [{ state: 'succeeded', createdAt: at(30) }, /runs it again/],
])('an outcome that was not on record, of a record that is now %j', (given, meaning) => {
  const unrecorded = line('unrecorded', 20);
  expect(meaningOf(unrecorded, [unrecorded], record(given))).toMatch(meaning);
});

test('a failure of a record that has expired answers nothing any more', () => {
  const failed = line('failed', 20);
  const now = { state: 'failed', phase: 'failed' } as const;
  expect(meaningOf(failed, [failed], record(now))).toMatch(/are answered from the record$/);
  expect(meaningOf(failed, [failed], record({ ...now, phase: 'expired' }))).toMatch(
    /has expired or was forgotten$/,
  );
});
