import type { RecordView } from 'handle-once/operations';
import { expect, test } from 'vitest';
import { meaningOf } from '../../adapters/operations/meaning.ts';

const endedAt = new Date('2026-01-01T00:00:20Z');
const record = { state: 'failed', phase: 'failed', attempts: 2, createdAt: new Date('2026-01-01T00:00:10Z') };

test.each<[Partial<RecordView> | undefined, RegExp]>([
  [{}, /are answered from the record$/],
  [{ attempts: 3 }, /has since allowed it to run again$/],
  [{ state: 'succeeded', phase: 'succeeded' }, /has since allowed it to run again$/],
  [{ phase: 'expired' }, /has expired or was forgotten$/],
  [{ createdAt: new Date('2026-01-01T00:00:21Z') }, /has expired or was forgotten$/],
  [undefined, /has expired or was forgotten$/],
])('a failure of a record that is now %j', (now, meaning) => {
  const found = now && ({ ...record, ...now } as RecordView);
  expect(meaningOf({ attempt: 2, ending: 'failed', endedAt }, found)).toMatch(meaning);
});
