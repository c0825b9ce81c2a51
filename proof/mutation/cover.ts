import { resolve } from 'node:path';
import { afterAll, afterEach, beforeEach, describe } from 'vitest';
import { context } from './context.ts';
import { givenFolder } from './folder.ts';

const folder = givenFolder();
const red: string[] = [];

/** Runs each test once, and looks which mutants it reaches. */
for (const file of folder.read('testFiles')) {
  describe(file, async () => {
    beforeEach(({ task }) => {
      context.currentTestId = task.fullTestName;
    });
    afterEach(({ task }) => {
      folder.log({ id: task.fullTestName });
      delete context.currentTestId;
      if (task.result?.state === 'fail') red.push(task.fullTestName);
    });
    await import(resolve(file));
  });
}

afterAll(() => {
  folder.write('coverage', { static: {}, perTest: {}, ...context.mutantCoverage, red });
});
