import type { Attempt } from '../../words/attempt.ts';
import type { BatchHandler } from '../../words/batch-handler.ts';
import { kindOf } from '../../lib/kind-of.ts';
import { awaitedResults } from '../listed-promises.ts';
import { refuseUnrun } from '../refuse-unrun.ts';
import { refuseStep } from '../steps/refuse-step.ts';

export type AnyBatchHandler = BatchHandler<never, never>;

interface Given {
  readonly payload: unknown;
  readonly attempt: Attempt;
}

/** How a message came out of a run: with its result, or with what it failed with. */
export type Came = { readonly value: unknown } | { readonly error: unknown };

/** What is called with the handler's arguments after the attempts, and with what an error of all is to each message. */
export type CallBatch = (
  extra: readonly unknown[],
  ofAll?: (error: unknown) => unknown,
) => Promise<readonly Came[]>;

/** Calls the handler of a batch once, and never throws. Without a transaction it can mark messages as failed. */
export async function callBatch(
  handler: AnyBatchHandler,
  given: readonly Given[],
  ...[extra, ofAll = (error) => error]: Parameters<CallBatch>
): Promise<readonly Came[]> {
  const failed = new Map<number, unknown>();
  const attempts = given.map(({ attempt }, index) =>
    extra.length > 0
      ? attempt
      : Object.assign(attempt, { fail: (error: unknown) => failed.set(index, error), step: refuseStep }),
  );
  const payloads = given.map(({ payload }) => payload);
  const call = handler as (...args: unknown[]) => unknown;
  let came: readonly Came[];
  try {
    const results = await resultsOf(await call(payloads, attempts, ...extra), given.length);
    came = results.map((value) => ({ value }));
  } catch (error) {
    const ofEach = ofAll(error);
    came = given.map(() => ({ error: ofEach }));
  }
  return came.map((each, index) => (failed.has(index) ? { error: failed.get(index) } : each));
}

async function resultsOf(returned: unknown, count: number): Promise<readonly unknown[]> {
  refuseUnrun(returned);
  if (returned === undefined) return Array.from({ length: count }, () => undefined);
  if (!Array.isArray(returned)) throw wrongReturn(returned, count);
  const results = await awaitedResults(returned);
  if (results.length !== count) throw wrongReturn(results, count);
  for (const result of results) refuseUnrun(result);
  return results;
}

function wrongReturn(returned: unknown, count: number): TypeError {
  const what = Array.isArray(returned)
    ? `a list of ${returned.length}`
    : `a value of type ${kindOf(returned)}`;
  const messages = count === 1 ? '1 message' : `${count} messages`;
  return new TypeError(
    `the batch handler returned ${what} for ${messages}: return nothing, or a list with one result for each`,
  );
}
