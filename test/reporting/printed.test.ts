import { describe, expect, it } from 'vitest';
import { useEmptyDatabase } from '../support/database.ts';
import { stderrOf } from './support/run-worker.ts';

/** The warnings among the lines: node adds a hint on how to trace the first. */
const warnings = (lines: readonly string[]) => lines.filter((line) => line.includes('HandleOnceWarning:'));

describe('a process without onEvent and logger', () => {
  const empty = useEmptyDatabase();

  it('prints the first of the releases with one error', async () => {
    const lines = await stderrOf({ scene: 'type-error' });
    expect(warnings(lines)).toEqual([
      expect.stringMatching(
        /\[RELEASED\] HandleOnceWarning: handle-once: .*\(scope billing, key order-1, attempts 1.*: TypeError: Cannot read properties of undefined \(reading 'id'\)$/,
      ),
      expect.stringMatching(/\[RELEASED\] .*2 more within 1 min were not printed; the last: .*key order-3,/),
    ]);
  });

  it.each(['exit', 'error'] as const)('prints them also where the process ends by %s', async (end) => {
    const lines = warnings(await stderrOf({ scene: 'type-error', end }));
    expect(lines).toEqual([
      expect.stringMatching(/^\(node:\d+\) \[RELEASED\] HandleOnceWarning: .*key order-1,/),
      expect.stringMatching(/\[RELEASED\] .*2 more within 1 min were not printed; the last: .*key order-3,/),
    ]);
  });

  it.each(['exit', 'error'] as const)('prints what comes just before its end by %s, once', async (end) => {
    const lines = warnings(await stderrOf({ scene: 'one-error', end }));
    expect(lines).toEqual([expect.stringMatching(/^\(node:\d+\) \[RELEASED\] HandleOnceWarning: .*: no$/)]);
  });

  it('prints ten of ten thousand failures, and counts the others when it ends', async () => {
    const lines = warnings(await stderrOf({ scene: 'storm' }));
    expect(lines).toHaveLength(11);
    expect(lines[10]).toMatch(
      /\[FAILED\] .*9,990 more within 1 min were not printed; the last: .*key order-10000/,
    );
    expect(lines[0]).toMatch(
      /\[FAILED\] .*key order-1, .*terminal.*: TerminalError \(BLOCKED\): card is blocked$/,
    );
    expect(lines.join()).not.toContain('secret');
  });

  it('prints once that the tables are missing, and what to do', async () => {
    const lines = warnings(await stderrOf({ scene: 'database', url: empty.url }));
    expect(lines).toEqual([
      expect.stringMatching(/\[SCHEMA_ERROR\] .*run migrate\(sql\)/),
      expect.stringMatching(/\[SCHEMA_ERROR\] .*1 more within 1 min were not printed/),
    ]);
  });

  it('prints once that the database is down', async () => {
    const lines = warnings(await stderrOf({ scene: 'database', url: 'postgres://127.0.0.1:1/postgres' }));
    expect(lines).toEqual([
      expect.stringMatching(
        /\[STORE_ERROR\] .*the database cannot be reached at 127.0.0.1:1 \(ECONNREFUSED\)/,
      ),
      expect.stringMatching(/\[STORE_ERROR\] .*3 more within 1 min were not printed/),
    ]);
  });
});

it('a process with onEvent prints nothing', async () => {
  expect(await stderrOf({ scene: 'type-error', report: 'onEvent' })).toEqual([]);
});

it('a process with the console as logger prints every release with its fields, and no warning', async () => {
  const lines = await stderrOf({ scene: 'type-error', report: 'console' });
  expect(warnings(lines)).toEqual([]);
  const text = lines.join('\n');
  expect(text.match(/a message failed and will be tried again/g)).toHaveLength(3);
  expect(text).toMatch(/code: 'RELEASED'/);
  expect(text).toMatch(/key: 'order-3'/);
  expect(text).toMatch(/name: 'TypeError'/);
  expect(text).not.toContain('secret');
});

describe('a process whose warnings Node does not print', () => {
  const onceOnStderr = [expect.stringMatching(/^handle-once: .*--no-warnings.*logger/)];

  it.each([{ NODE_OPTIONS: '--no-warnings' }, { NODE_NO_WARNINGS: '1' }])('says so once: %o', async (set) => {
    expect(await stderrOf({ scene: 'type-error' }, set)).toEqual(onceOnStderr);
  });

  it.each([
    ['its reports go to onEvent', '--no-warnings', 'onEvent'],
    ['HandleOnceWarning is switched off', '--disable-warning=HandleOnceWarning', 'nothing'],
  ] as const)('says nothing where %s', async (_, NODE_OPTIONS, report) => {
    expect(await stderrOf({ scene: 'type-error', report }, { NODE_OPTIONS })).toEqual([]);
  });
});
