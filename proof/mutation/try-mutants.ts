import { resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, type RunnerTask } from 'vitest';
import { context } from './context.ts';
import { givenFolder, type Trial } from './folder.ts';

const folder = givenFolder();
const testFiles = folder.read('testFiles');

/** The tests are registered once more for each mutant: those that reach it run, up to the first that fails. */
for (const trial of folder.read('trials')) {
  const mutant = describe(trial.id, () => {
    tryMutant(trial, () => mutant.suite?.tasks ?? []);
    for (const file of testFiles.filter((name) => trial.tests.some((test) => test.startsWith(`${name} > `))))
      // Another module for each mutant.
      describe(file, () => import(`${resolve(file)}?${trial.id}`));
  });
}

/** When a test last saw a mutant. */
const sawAt = new Map<string, number>();

function tryMutant({ id, tests, hitLimit }: Trial, tasks: () => RunnerTask[]): void {
  const nameOf = ({ fullTestName = '' }: RunnerTask): string => fullTestName.replace(`${id} > `, '');
  beforeAll(() => {
    keepOnly(new Set(tests.map((test) => `${id} > ${test}`)), tasks());
    sortLatestFirst(tasks(), (task) => sawAt.get(nameOf(task)) ?? 0);
    folder.log({ id });
    Object.assign(context, { activeMutant: id, hitCount: 0, hitLimit });
  });
  afterEach(({ task }) => {
    folder.log({ id });
    if (task.result?.state === 'fail') keepOnly(new Set(), tasks());
  });
  afterAll(() => {
    delete context.activeMutant;
    const failed = firstFailed(tasks());
    if (failed !== undefined) sawAt.set(nameOf(failed), performance.now());
    folder.log({ id, outcome: failed === undefined ? 'survived' : `killed by ${failed.fullTestName}` });
  });
}

/** A suite that has no test left is left out too: its hooks take time. */
function keepOnly(tests: ReadonlySet<string>, tasks: readonly RunnerTask[]): boolean {
  for (const task of tasks) {
    const isKept = task.type === 'suite' ? keepOnly(tests, task.tasks) : tests.has(task.fullTestName);
    if (!isKept) task.mode = 'skip';
  }
  return tasks.some(({ mode }) => mode !== 'skip');
}

/** The next mutant is likely to be seen by the test that saw the last one. Gives the latest. */
function sortLatestFirst(tasks: RunnerTask[], timeOf: (task: RunnerTask) => number): number {
  const times = new Map(
    tasks.map((task) => [task, task.type === 'suite' ? sortLatestFirst(task.tasks, timeOf) : timeOf(task)]),
  );
  tasks.sort((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0));
  return Math.max(0, ...times.values());
}

function firstFailed(tasks: readonly RunnerTask[]): RunnerTask | undefined {
  for (const task of tasks) {
    if (task.result?.errors?.length) return task;
    const inside = task.type === 'suite' ? firstFailed(task.tasks) : undefined;
    if (inside !== undefined) return inside;
  }
  return undefined;
}
