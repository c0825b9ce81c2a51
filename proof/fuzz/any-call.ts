import * as fc from 'fast-check';
import * as z from 'zod';
import { type HandleOnce, HandleOnceError, type HandleOnceEvent, type Outcome } from '../../src/index.ts';
import { isPolluted, tellsSecret } from './leaks.ts';
import { anyThrown } from './thrown.ts';
import { anyMembers, anyValue, type Later, SECRET, secretPayload, trickyText } from './values.ts';

/** One call of `handleOnce`, with arguments of any kind. */
export interface AnyCall {
  readonly key: Later<unknown>;
  readonly payload: Later<unknown>;
  readonly options: Later<unknown>;
  readonly handler: { readonly returns: Later<unknown> } | { readonly throws: Later<unknown> };
}

const schemas = fc.constantFrom(
  z.object({ id: z.string() }),
  z.strictObject({ id: z.int() }),
  z.record(z.string(), z.uuid()),
  z.string().transform((text) => JSON.parse(text) as unknown),
  z.array(z.unknown()),
);

const parsers = fc.constantFrom<(payload: unknown) => unknown>(
  (payload) => JSON.parse(String(payload)),
  (payload) => payload,
  (payload) => {
    throw new SyntaxError(`cannot read ${String(payload)}`);
  },
);

const fingerprints = fc.constantFrom<unknown>(
  false,
  (payload: { readonly id?: unknown }) => payload.id,
  () => Promise.resolve(1),
  (payload: unknown) => {
    throw new SyntaxError(`cannot read ${String(payload)}`);
  },
);

const goodOptions = fc.record(
  {
    schema: schemas,
    parse: parsers,
    fingerprint: fingerprints,
    timeoutMs: fc.integer({ min: 1_000, max: 43_200_000 }),
    waitMs: fc.integer({ min: 0, max: 43_200_000 }),
    signal: fc.constantFrom(AbortSignal.abort(), new AbortController().signal),
  },
  { requiredKeys: [] },
);

const NAMES = ['schema', 'parse', 'fingerprint', 'ignoredFields', 'timeoutMs', 'waitMs', 'signal', 'other'];

export const anyCall: fc.Arbitrary<AnyCall> = fc.record({
  key: fc.oneof(
    { weight: 4, arbitrary: trickyText.map((key) => () => key) },
    { weight: 1, arbitrary: anyValue },
  ),
  payload: secretPayload,
  options: fc.oneof(
    { weight: 3, arbitrary: fc.constant(() => undefined) },
    { weight: 3, arbitrary: goodOptions.map((options) => () => options) },
    anyMembers(NAMES),
    fc.array(trickyText, { maxLength: 3 }).map((ignoredFields) => () => ({ ignoredFields })),
    anyValue,
  ),
  handler: fc.oneof(
    anyValue.map((returns) => ({ returns })),
    anyThrown.map((throws) => ({ throws })),
  ),
});

/** What only a call that ran nothing may reject with. */
const DOCUMENTED = new Set([
  'ABORTED',
  'INVALID_KEY',
  'INVALID_OPTIONS',
  'PAYLOAD_MISMATCH',
  'UNHASHABLE_PAYLOAD',
]);
const STATES = new Set(['succeeded', 'failed', 'pending']);

/** What a `handleOnce` under test has told. */
export interface Told {
  readonly events: HandleOnceEvent[];
  readonly lines: unknown[];
}

export function nothingTold(): Told {
  return { events: [], lines: [] };
}

/** What a logger and a hook tell, for `createHandleOnce`. */
export function tellTo({ events, lines }: Told) {
  const line = (...told: unknown[]): void => {
    lines.push(told);
  };
  return {
    onEvent: (event: HandleOnceEvent) => {
      events.push(event);
    },
    logger: { error: line, warn: line, info: line, debug: line },
  };
}

type Ended = { readonly outcome: Outcome<unknown> } | { readonly error: unknown };

/**
 * Calls twice, and throws where that is not as documented: an error without a code that errors.md has, a second run
 * after a settled one, the secret of the payload in what is told, or a prototype with a new member.
 */
export async function checkCall(handleOnce: HandleOnce, call: AnyCall, told: Told): Promise<void> {
  told.events.length = 0;
  told.lines.length = 0;
  const runs = { count: 0 };
  const given = { key: call.key(), payload: call.payload(), options: call.options(), handler: call.handler };
  const first = await callOnce(handleOnce, given, runs);
  checkEnd(first, runs.count, 1);
  const ranFirst = runs.count;
  const second = await callOnce(handleOnce, given, runs);
  const isSettled = 'outcome' in first && first.outcome.state !== 'pending';
  checkEnd(second, runs.count - ranFirst, isSettled ? 0 : 1);
  for (const one of [...told.events, ...told.lines]) {
    if (tellsSecret(one)) throw new Error('an event or a log line shows the payload');
  }
  if (isPolluted()) throw new Error('a prototype has a new member');
}

interface Given extends Pick<AnyCall, 'handler'> {
  readonly key: unknown;
  readonly payload: unknown;
  readonly options: unknown;
}

async function callOnce(handleOnce: HandleOnce, given: Given, runs: { count: number }): Promise<Ended> {
  const { key, payload, options, handler } = given;
  try {
    const work = (): unknown => {
      runs.count += 1;
      if ('throws' in handler) throw handler.throws() as Error;
      return handler.returns();
    };
    return { outcome: await handleOnce(key as string, payload, work, options as object) };
  } catch (error) {
    return { error };
  }
}

function checkEnd(end: Ended, runs: number, mostRuns: number): void {
  if (runs > mostRuns) throw new Error(`the handler ran ${runs} times, and may run ${mostRuns} times`);
  if ('outcome' in end) {
    if (!STATES.has(end.outcome.state)) throw new Error(`the outcome is ${end.outcome.state}`);
    return;
  }
  const { error } = end;
  if (!(error instanceof HandleOnceError) || !DOCUMENTED.has(error.code)) {
    throw new Error('an error that is not documented', { cause: error });
  }
  if (runs > 0) throw new Error('the handler ran in a call that was rejected', { cause: error });
  if (error.message.includes(SECRET)) throw new Error(`an error shows the payload: ${error.message}`);
  if (tellsSecret(error)) throw new Error('an error shows the payload in a hidden place', { cause: error });
}
