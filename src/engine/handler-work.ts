import type { StandardSchemaV1 } from '@standard-schema/spec';
import { createTimedChannel } from '../lib/timed-channel.ts';
import { describeThrown } from '../payload/stored-error.ts';
import { validatePayload } from '../payload/validate-payload.ts';
import type { EventSink } from '../reporting/event-sink.ts';
import type { Around, BeginningAttempt, MessageSource } from '../words/around.ts';
import type { Attempt } from '../words/attempt.ts';
import { NotStartedError } from '../words/not-started-error.ts';
import type { HeldClaim } from './held-claim.ts';
import { hasPromises } from './listed-promises.ts';
import type { PayloadWatch } from './payload-watch.ts';
import { refuseUnrun } from './refuse-unrun.ts';

/** What is run for the owner of a claim. */
export interface HandlerRequest<Result, Extra extends readonly unknown[]> {
  /** As delivered. */
  readonly payload?: unknown;
  /** Turns the payload into what the schema, or else the handler, gets. */
  readonly parse?: ((payload: never) => unknown) | undefined;
  readonly schema?: StandardSchemaV1 | undefined;
  readonly handler: (payload: unknown, attempt: never, ...extra: Extra) => Result | PromiseLike<Result>;
  /**
   * Called once the message is claimed. After false, as when an earlier message of its lane is not done, nothing runs
   * and the claim is released, uncounted; so too when the attempt is over by then.
   */
  readonly mayStart?: (() => Promise<boolean>) | undefined;
  /** Where the message came from. Called only where the settings have a hook. */
  readonly source?: (() => MessageSource) | undefined;
}

/** What an attempt runs. */
export type Work<Result, Extra extends readonly unknown[] = []> = (
  attempt: Attempt,
  ...extra: Extra
) => Promise<Result>;

/**
 * The handler with its payload, inside the hook of the settings, once it is its turn. `watch`: where it
 * may run more than once.
 */
export function handlerWork<Result, Extra extends readonly unknown[]>(
  held: HeldClaim,
  request: HandlerRequest<Result, Extra>,
  watch: PayloadWatch | undefined,
): Work<Result, Extra> {
  const work = withPayload(held, request, watch);
  return unlessDeclined(held, request.mayStart, hooked(held, request.source, work));
}

const handlers = createTimedChannel('handle-once:handler', (scope: string, durationMs, failed) => ({
  scope,
  durationMs,
  failed,
}));

/** The handler with its payload, parsed and validated; timed where a subscriber wants to know. */
function withPayload<Result, Extra extends readonly unknown[]>(
  held: HeldClaim,
  { payload, parse, schema, handler }: HandlerRequest<Result, Extra>,
  watch: PayloadWatch | undefined,
): Work<Result, Extra> {
  const { clock, settings } = held.engine;
  const { scope } = settings;
  return async function work(attempt, ...extra) {
    const ended = handlers.start(clock);
    try {
      if (!held.hasRun) watch?.note();
      else if (watch?.hasChanged() === true) throw changed();
      const valid = await validatePayload(payload, parse, schema);
      const known = held.lease.whenKnown();
      if (known !== undefined) await known;
      // In the turn in which the handler starts: of many that are claimed together, one can block all others.
      if (!held.lease.isKept())
        throw new NotStartedError('its lease was over before its handler could start');
      held.isRunning = true;
      held.hasRun = true;
      const returned = await handler(valid, attempt as never, ...extra);
      const result = hasPromises(returned) ? ((await Promise.all(returned)) as Result) : returned;
      refuseUnrun(result);
      ended?.(scope, false);
      return result;
    } catch (error) {
      ended?.(scope, true);
      throw error;
    } finally {
      held.isRunning = false;
    }
  };
}

/** After a conflict of transactions, or in place of a batch, the handler runs once more within its attempt. */
function changed(): TypeError {
  return new TypeError(
    'the handler has changed its payload, and cannot run again with it: copy what it changes, or use `parse` or a schema',
  );
}

function unlessDeclined<Result, Extra extends readonly unknown[]>(
  held: HeldClaim,
  mayStart: (() => Promise<boolean>) | undefined,
  work: Work<Result, Extra>,
): Work<Result, Extra> {
  if (mayStart === undefined) return work;
  let hasStarted = false;
  return async function workInTurn(attempt, ...extra) {
    // A transaction that has lost a conflict runs it again.
    if (hasStarted) return await work(attempt, ...extra);
    if (!(await mayStart())) throw new NotStartedError('its turn has not come');
    // The process may have stopped for longer than the lease.
    if (await held.isOver()) throw new NotStartedError('its attempt was over before its turn came');
    hasStarted = true;
    return await work(attempt, ...extra);
  };
}

/** The work inside the hook that the settings have. */
function hooked<Result, Extra extends readonly unknown[]>(
  held: HeldClaim,
  source: (() => MessageSource) | undefined,
  work: Work<Result, Extra>,
): Work<Result, Extra> {
  const { events, settings } = held.engine;
  const { around } = settings;
  if (around === undefined) return work;
  return function workInHook(attempt, ...extra) {
    const { scope, key, number } = attempt;
    const { lastRun: run } = held;
    const beginning = () => ({
      ...{ scope, key, number, source: source?.() },
      get batchSize() {
        return run?.batchSize;
      },
    });
    return runAround(events, around, beginning, () => work(attempt, ...extra));
  };
}

/**
 * Runs an attempt inside the hook of the user, which must not decide what becomes of the message: it ends when its work
 * does, whatever the hook does before and after.
 */
function runAround<Result>(
  { complain }: Pick<EventSink<never>, 'complain'>,
  around: Around,
  beginning: () => BeginningAttempt,
  work: () => Promise<Result>,
): Promise<Result> {
  // Without a promise more than it needs: where contexts are tracked, as by OpenTelemetry, each costs CPU.
  return new Promise((resolve, reject) => {
    let running: Promise<Result> | undefined;

    function run(): Promise<Result> {
      if (running !== undefined) return running;
      running = work();
      running.then(resolve, reject);
      return running;
    }

    function afterFailure(error: unknown): void {
      function report(): void {
        complain('AROUND_FAILED', `the around hook failed: ${describeThrown(error)}`);
      }

      function reportUnlessOfHandler(thrown: unknown): void {
        if (thrown !== error) report();
      }

      if (running === undefined) report();
      else running.then(report, reportUnlessOfHandler);
      void run();
    }

    try {
      Promise.resolve(around(beginning(), run)).then(() => void run(), afterFailure);
    } catch (error) {
      // A hook of JavaScript may throw before it has returned a promise.
      afterFailure(error);
    }
  });
}
