import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They wait for half a minute and more: for visibility timeouts, brokers, and workers that are killed. */
const LONGEST = [
  /\/test\/sqs\/elasticmq/,
  /\/test\/examples\/demo\/(sqs|kafka)/,
  /\/test\/(crash\/|sqs\/fauxqs)/,
];

/**
 * Long files that begin last would be waited for at the end of the run. The others are in the order of their size, here
 * as on a clean clone, which knows no durations: by those, all that wait would run at once, and nothing that computes
 * beside them. Files with a worker of their own come first: between others, each would end a worker that has loaded
 * everything.
 */
export default class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((a, b) => rank(a) - rank(b) || sizeOf(b) - sizeOf(a)));
  }
}

function sizeOf({ moduleId }: TestSpecification): number {
  return statSync(moduleId).size;
}

function rank({ moduleId, project }: TestSpecification): number {
  if (project.config.isolate) return -1;
  const index = LONGEST.findIndex((pattern) => pattern.test(moduleId));
  return index === -1 ? LONGEST.length : index;
}
