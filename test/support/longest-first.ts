import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that wait for visibility timeouts, consumer groups and processes: those that wait longest first. */
const LONGEST = [
  /\/test\/sqs\/(elasticmq|fauxqs)/,
  /\/test\/(crash|sqs-consumer)\//,
  /\/test\/(examples|kafka\/broker|otel|docs\/quickstart)/,
];

/**
 * A clean clone knows no durations. Long files that begin last would be waited for at the end of the run. Files with a
 * worker of their own come first: between others, each would end a worker that has loaded everything.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId, project }: TestSpecification): number {
  if (project.config.isolate) return -1;
  const index = LONGEST.findIndex((pattern) => pattern.test(moduleId));
  return index === -1 ? LONGEST.length : index;
}
