import { runInThisContext } from 'node:vm';
import { expect, it } from 'vitest';
import { fingerprint } from '../../src/payload/fingerprint.ts';
import { encodeResult } from '../../src/payload/result-codec.ts';
import { namesIn, tableUnder, textOf } from './documents.ts';

/** A row of the page may have several values. */
const rows = tableUnder(textOf('docs/handle-once.md'), 'Values by type').flatMap(([values, ...cells]) =>
  namesIn(values).map((value) => [value, ...cells]),
);

/** What a cell says, as the member of an object: its value, `absent`, or a date's text. */
function holding(cell: string, value: unknown): object {
  if (cell === 'absent') return {};
  if (cell === 'its text') return { value: (value as Date).toISOString() };
  return { value: valueOf(namesIn(cell)[0]) };
}

function valueOf(code = ''): unknown {
  return runInThisContext(`(${code})`);
}

it('the table has many kinds of values', () => {
  expect(rows.length).toBeGreaterThan(20);
});

it.each(rows)(
  '%s is in a payload as the page says, %s, and in a result, %s',
  (code, compared = '', kept = '') => {
    const value = valueOf(code);
    const held = { value };
    if (compared === 'refused') expect(() => fingerprint(held)).toThrow(/^value is an? /);
    else expect(fingerprint(held)).toBe(fingerprint(holding(compared, value)));

    const { result, resultOmitted } = encodeResult(held, 1_000);
    expect(resultOmitted).toBe(kept === 'omitted' ? 'not-serializable' : null);
    if (kept !== 'omitted') expect(JSON.parse(result ?? '')).toEqual(holding(kept, value));
  },
);
