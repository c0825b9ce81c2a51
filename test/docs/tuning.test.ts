import { describe, expect, it, test } from 'vitest';
import { timeoutWarnings } from '../../adapters/kafka/settings-check.ts';
import { isAboveLease, longerThanLease } from '../../adapters/shared/sqs/queue-settings.ts';
import { BEATS_PER_LEASE, lapseDelay } from '../../src/engine/lease-alarms.ts';
import { createHandleOnce, retryBudget, type RetryOptions } from '../../src/index.ts';
import { createMemoryStore } from '../../testing/index.ts';
import { tableUnder, textOf } from './documents.ts';
import { SHORT_RETRIES } from '../../adapters/kafka/options/short-retries.ts';

const PAGE = textOf('docs/tuning.md');
const VISIBILITIES_PER_TIMEOUT = 6;

function settingsOf(leaseMs: number) {
  return createHandleOnce({ store: createMemoryStore(), scope: 's', leaseMs }).settings;
}

function numberIn(cell = ''): number {
  return Number(cell.replaceAll(/[^\d.]/g, ''));
}

function thousands(value: number): string {
  return value.toLocaleString('en-US');
}

/** At most one decimal. */
function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 100) / 10}`;
}

function duration(milliseconds: number): string {
  const minutes = milliseconds / 60_000;
  if (minutes < 2) return `${milliseconds / 1_000} s`;
  return minutes < 300 ? `${Math.round(minutes)} min` : `${(minutes / 60).toFixed(1)} h`;
}

function receivesOnLambda(visibilityTimeoutSeconds: number): number {
  const { longestMs, maxReceiveCount } = retryBudget();
  return Math.ceil(maxReceiveCount + longestMs / 1_000 / visibilityTimeoutSeconds);
}

describe('docs/tuning.md computes as the code does', () => {
  test('what follows from a lease', () => {
    const rows = tableUnder(PAGE, 'Lease');
    expect(rows.length).toBeGreaterThan(2);
    for (const row of rows) {
      const leaseMs = numberIn(row[0]);
      const beatMs = leaseMs / BEATS_PER_LEASE;
      expect(row).toEqual([
        thousands(leaseMs),
        `${seconds(beatMs)} s`,
        `${seconds(lapseDelay(leaseMs))} s`,
        `${seconds(leaseMs - beatMs)} to ${seconds(leaseMs)} s`,
        `${longerThanLease(leaseMs)} s`,
      ]);
    }
  });

  test('a visibility timeout that is not above the lease is refused', () => {
    expect(isAboveLease(60, 30_000)).toBe(true);
    expect(isAboveLease(30, 60_000)).toBe(false);
  });

  test('a lease above the session timeout has a finding', () => {
    const findingsAt = (leaseMs: number) =>
      timeoutWarnings({}, settingsOf(leaseMs)).map(({ warning }) => `\`${warning}\``);
    expect(findingsAt(30_000)).toEqual([]);
    expect(findingsAt(30_001)).toEqual(['`LEASE_OUTLIVES_SESSION`']);
    expect(PAGE).toContain(`${findingsAt(30_001).join()} warns`);
  });

  const RETRIES: [name: string, retries: RetryOptions][] = [
    ['default', {}],
    ['of Kafka, whose partition waits', SHORT_RETRIES],
    ['`{ maxAttempts: 5 }`', { maxAttempts: 5 }],
    [
      '`{ maxAttempts: 20, maxDeaths: 3, backoff: { maxMs: 3600000 } }`',
      { maxAttempts: 20, maxDeaths: 3, backoff: { maxMs: 3_600_000 } },
    ],
  ];

  it.each(RETRIES)('the retries %s', (name, retries) => {
    const rows = tableUnder(PAGE, 'Retries');
    expect(rows).toHaveLength(RETRIES.length);
    const { medianMs, longestMs, maxReceiveCount } = retryBudget(retries);
    const figures = rows.find(([cell]) => cell === name)?.slice(2);
    const receives = retries === SHORT_RETRIES ? '' : `${maxReceiveCount}`;
    expect(figures).toEqual([duration(medianMs), duration(longestMs), receives]);
  });

  test('the receives that a queue needs on Lambda', () => {
    const rows = tableUnder(PAGE, 'Attempts against `maxReceiveCount`');
    expect(rows.length).toBeGreaterThan(2);
    for (const [timeout, ...row] of rows) {
      const visibilitySeconds = VISIBILITIES_PER_TIMEOUT * numberIn(timeout);
      const receives = receivesOnLambda(visibilitySeconds);
      expect(row).toEqual([`${thousands(visibilitySeconds)} s`, `${receives}`]);
    }
  });
});
