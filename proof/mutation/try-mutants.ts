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

function tryMutant({ id, tests, hitLimit }: Trial, tasks: () => readonly RunnerTask[]): void {
  beforeAll(() => {
    keepOnly(new Set(tests.map((test) => `${id} > ${test}`)), tasks());
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

function firstFailed(tasks: readonly RunnerTask[]): RunnerTask | undefined {
  for (const task of tasks) {
    if (task.result?.errors?.length) return task;
    const inside = task.type === 'suite' ? firstFailed(task.tasks) : undefined;
    if (inside !== undefined) return inside;
  }
  return undefined;
}
