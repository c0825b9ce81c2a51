import { runInThisContext } from 'node:vm';
import { expect, it } from 'vitest';
import { fingerprint } from '../../src/payload/fingerprint.ts';
import { encodeResult } from '../../src/payload/result-codec.ts';
import { namesIn, tableUnder, textOf } from './documents.ts';

const rows = tableUnder(textOf('docs/handle-once.md'), 'Values by type');

/** What a cell says, as the member of an object: its value, `absent`, or a date's text. */
function holding(cell: string, value: unknown): object {
  if (cell === 'absent') return {};
  if (cell === 'its text') return { value: (value as Date).toISOString() };
  return { value: valueOf(cell) };
}

function valueOf(cell: string): unknown {
  return runInThisContext(`(${namesIn(cell)[0] ?? ''})`);
}

it('has a row for many kinds of values', () => {
  expect(rows.length).toBeGreaterThan(20);
});

it.each(rows)(
  '%s is in a payload as the page says, %s, and in a result, %s',
  (cell, compared = '', kept = '') => {
    const value = valueOf(cell);
    const held = { value };
    if (compared === 'refused') expect(() => fingerprint(held)).toThrow(/^value is an? /);
    else expect(fingerprint(held)).toBe(fingerprint(holding(compared, value)));

    const { result, resultOmitted } = encodeResult(held, 1_000);
    expect(resultOmitted).toBe(kept === 'omitted' ? 'not-serializable' : null);
    if (kept !== 'omitted') expect(JSON.parse(result ?? '')).toEqual(holding(kept, value));
  },
);
