import { describe, expect, test } from 'vitest';
import { judge, type Remains } from '../../proof/chaos/queue/judge.ts';
import type { Fault } from '../../proof/chaos/queue/scene.ts';
import type { Ending, WorkerReport } from '../../proof/chaos/queue/settings.ts';
import type { Effect } from '../../proof/chaos/queue/tables.ts';
import { holds } from '../../proof/chaos/report.ts';
import type { FromWorker } from '../../test/support/fleet.ts';

interface Story {
  readonly worker: number;
  readonly beganAt: number;
  /** Undefined: it had none. */
  readonly effectAt?: number;
  readonly end?: readonly [ending: Ending, at: number];
}

/** Message 0 is run as told, one run after the other. */
function remainsOf(stories: readonly Story[], rest: Partial<Remains> = {}): Remains {
  const reports = stories.flatMap(({ worker, beganAt, end }, index): FromWorker<WorkerReport>[] => {
    const [run, message] = [`run-${index}`, 0];
    const report = { type: 'began', run, message, together: 1, wallClock: 0, at: beganAt } as const;
    const began = { worker, report };
    if (end === undefined) return [began];
    const [ending, at] = end;
    return [began, { worker, report: { type: 'ended', run, message, ending, at } }];
  });
  const effects = stories.flatMap(({ effectAt }, index): Effect[] =>
    effectAt === undefined ? [] : [{ run: `run-${index}`, message: 0, lookedAt: effectAt }],
  );
  return { consumer: 'handle-once', messages: 1, effects, reports, faults: [], ...rest };
}

function broken(remains: Remains): string[] {
  return judge(remains)
    .checks.filter((check) => !holds(check))
    .map(({ rule }) => rule);
}

const killed: Fault = { kind: 'killed', worker: 1, from: 20, until: 20 };
const secondRun: Story = { worker: 2, beganAt: 50, effectAt: 60, end: ['succeeded', 70] };

describe('a message that ran once', () => {
  test('is neither lost nor doubled', () => {
    const verdict = judge(remainsOf([secondRun]));
    expect(verdict).toMatchObject({ lost: [], doubled: [], allowed: [], runs: 1 });
    expect(broken(remainsOf([secondRun]))).toEqual([]);
  });

  test('is lost without an effect', () => {
    const remains = remainsOf([{ worker: 1, beganAt: 0, end: ['succeeded', 10] }]);
    expect(judge(remains).lost).toEqual(['message 0']);
    expect(broken(remains)).toContain('every message had its effect');
  });
});

describe('a message with two effects', () => {
  const first: Story = { worker: 1, beganAt: 0, effectAt: 10 };

  test('is allowed when its worker was killed between effect and settle', () => {
    const remains = remainsOf([first, secondRun], { faults: [killed] });
    expect(judge(remains)).toMatchObject({ doubled: [], allowed: ['message 0: 2 effects'] });
    expect([...judge(remains).causes]).toEqual([['its worker was killed', 1]]);
    expect(broken(remains)).toEqual([]);
  });

  test.each<[string, Partial<Remains>]>([
    ['no worker was killed', {}],
    ['another worker was killed', { faults: [{ ...killed, worker: 2 }] }],
    ['its worker was killed before', { faults: [{ ...killed, from: -10, until: -10 }] }],
    ['its worker was killed after the second run began', { faults: [{ ...killed, from: 55, until: 55 }] }],
  ])('is not allowed when %s', (_, rest) => {
    const remains = remainsOf([first, secondRun], rest);
    expect(judge(remains)).toMatchObject({ doubled: ['message 0: 2 effects'], allowed: [] });
    expect(broken(remains)).toContain('each further run has a documented cause');
  });

  test('is not allowed when the first run was known to have succeeded', () => {
    const remains = remainsOf([{ ...first, end: ['succeeded', 15] }, secondRun], { faults: [killed] });
    expect(judge(remains).doubled).toHaveLength(1);
  });

  test('is not allowed when the first handler threw: the effect is the last thing that it does', () => {
    const remains = remainsOf([{ ...first, end: ['released', 15] }, secondRun]);
    expect(judge(remains).doubled).toHaveLength(1);
    expect(broken(remains)).toEqual(['no effect is doubled but for a documented cause']);
  });

  test('is not allowed when the first run was undone: then it has left none', () => {
    const undone = (run: Story) => remainsOf([{ ...run, end: ['undone', 50] }, secondRun]);
    expect([...judge(undone({ worker: 1, beganAt: 0 })).causes]).toEqual([['its transaction was undone', 1]]);
    expect(broken(undone(first))).toEqual(['no effect is doubled but for a documented cause']);
  });

  test('is never allowed in a transaction', () => {
    const remains = remainsOf([first, secondRun], { faults: [killed], consumer: 'in-transaction' });
    expect(judge(remains).doubled).toHaveLength(1);
  });

  test('does not run again in a transaction once it has one, whatever became of the second', () => {
    const again = [
      { ...first, end: ['undone', 50] },
      { worker: 1, beganAt: 50 },
    ] as const;
    expect(broken(remainsOf(again, { consumer: 'in-transaction' }))).toEqual([
      'each further run has a documented cause',
    ]);
  });

  test.each<[string, Fault | WorkerReport]>([
    ['its worker was frozen', { kind: 'stopped', worker: 1, from: 12, until: 65 }],
    ['its worker was frozen', { type: 'stood-still', from: 12, at: 65 }],
    ['its worker lost the database', { kind: 'database', worker: undefined, from: 12, until: 40 }],
    ['its worker lost the database', { type: 'store-error', at: 30 }],
  ])('is allowed when its lease was lost and %s', (cause, evidence) => {
    const remains = remainsOf([{ ...first, end: ['lease-lost', 66] }, secondRun]);
    const known =
      'kind' in evidence
        ? { ...remains, faults: [evidence] }
        : { ...remains, reports: [...remains.reports, { worker: 1, report: evidence }] };
    expect([...judge(known).causes.keys()]).toEqual([cause]);
    expect(judge(known).allowed).toHaveLength(1);
    expect(judge(remains).doubled, 'without the evidence').toHaveLength(1);
  });

  test('breaks a rule when the first handler looked at its signal after the second had begun', () => {
    const remains = remainsOf([{ ...first, effectAt: 55, end: ['lease-lost', 66] }, secondRun], {
      faults: [{ kind: 'stopped', worker: 1, from: 12, until: 54 }],
    });
    expect(broken(remains)).toEqual(['no handler that looks at its signal goes on beside a later run']);
  });
});

test('a lease that was lost before its attempt ran alone was lost in that attempt', () => {
  const stories = (ending: Ending): Story[] => [
    { worker: 1, beganAt: 0, end: [ending, 30] },
    { worker: 1, beganAt: 30, end: ['lease-lost', 40] },
    secondRun,
  ];
  const rest: Partial<Remains> = {
    faults: [{ kind: 'database', worker: undefined, from: 10, until: 20 }],
    consumer: 'in-transaction',
  };
  expect(broken(remainsOf(stories('undone'), rest))).toEqual([]);
  expect(broken(remainsOf(stories('released'), rest))).toHaveLength(1);
});

test('a message that was in flight recovers from the fault of its worker, or from the end of one of all', () => {
  const recoveriesAfter = (fault: Fault): readonly number[] =>
    judge(remainsOf([{ worker: 1, beganAt: 0 }, secondRun], { faults: [fault] })).recoveries;
  expect(recoveriesAfter({ ...killed, until: 30 })).toEqual([50]);
  expect(recoveriesAfter({ kind: 'database', worker: undefined, from: 20, until: 30 })).toEqual([40]);
  expect(recoveriesAfter({ ...killed, worker: 3 })).toEqual([]);
  expect(recoveriesAfter({ ...killed, from: -5, until: -5 })).toEqual([]);
});
