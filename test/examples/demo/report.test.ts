import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { keptItsWord, report, type Results } from '../../../examples/demo/report.ts';

const once = {
  messages: 6,
  orders: 5,
  deliveries: 9,
  disturbances: 1,
  runs: 7,
  charges: { total: 5, lost: 0, doubled: 0 },
  emails: { total: 7, lost: 0, doubled: 2 },
  succeeded: 5,
  replays: 2,
  takeovers: 2,
};
const control = {
  ...once,
  charges: { total: 9, lost: 0, doubled: 3 },
  emails: { total: 9, lost: 0, doubled: 3 },
};

const words = {
  disturbances: 'hiccups',
  disturbed: (count: number) => `${count} hiccups`,
  control: 'a plain loop.',
};

/** Colours depend on where the tests run. */
function plain(results: Results): string {
  return stripVTControlCharacters(report(results, words));
}

describe('the verdict', () => {
  it('is good when every order was charged once, whatever the emails', () => {
    expect(keptItsWord(once)).toBe(true);
  });

  it.each([
    ['lost', { total: 4, lost: 1, doubled: 0 }],
    ['doubled', { total: 6, lost: 0, doubled: 1 }],
  ])('is bad when a charge was %s', (_, charges) => {
    expect(keptItsWord({ ...once, charges })).toBe(false);
  });

  it('is bad when an email was lost', () => {
    expect(keptItsWord({ ...once, emails: { total: 4, lost: 1, doubled: 0 } })).toBe(false);
  });
});

describe('the report', () => {
  it('puts both trials side by side', () => {
    const text = plain({ once, control });
    expect(text).toMatch(/handle-once +control/);
    expect(text).toMatch(/hiccups +1 +1\n/);
    expect(text).toMatch(/takeovers +2 +-/);
    expect(text).toMatch(/charges +5 +9\n +orders lost +0 +0\n +orders doubled +0 +3\n/);
    expect(text).toMatch(/emails +7 +9\n +orders lost +0 +0\n +orders doubled +2 +3\n/);
    expect(text).toContain('no charge was lost and none was doubled');
    expect(text).toContain('2 orders were mailed twice');
    expect(text).toContain('Control: a plain loop. It has no key');
  });

  it('says what a delivery is where that is not plain', () => {
    expect(plain({ once, control })).not.toContain('Deliveries');
    const text = report({ once, control }, { ...words, deliveries: 'nobody counts them.' });
    expect(stripVTControlCharacters(text)).toContain('Deliveries: nobody counts them.\n');
  });

  it('does not hide a broken word', () => {
    const text = plain({ once: { ...once, charges: { total: 5, lost: 1, doubled: 1 } }, control });
    expect(text).toContain('1 orders were not charged, 1 were charged more than once, and 0 were not mailed');
    expect(text).not.toContain('no charge was lost');
  });
});
