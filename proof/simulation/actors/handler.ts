import {
  type Attempt,
  type StepAttempt,
  LeaseLostError,
  RetryableError,
  TerminalError,
} from '../../../src/index.ts';
import type { Fact, Run, RunEnd } from '../facts/facts.ts';
import type { Fault } from '../facts/names.ts';
import { type Database, REFUSED_TEXT } from '../models/database.ts';
import type { Transaction } from '../models/transactions.ts';
import { type Behaviour, PLAIN } from '../plan/behaviour.ts';
import type { PlannedMessage } from '../plan/plan.ts';
import type { Life } from '../time/life.ts';
import { never } from '../time/never.ts';
import type { World } from '../world/world.ts';
import { MAX_RESULT_BYTES } from './handle-once.ts';

const LATER_MS = 3_000;

interface HandlerTerms {
  /** Whose plan it follows: that of the message's key, unless another is given. */
  readonly behavesAs?: string | undefined;
  /** Aborts when its caller gives it up: what it does from then on is not heard. */
  readonly over?: AbortSignal;
  /** All that it is called for. Default: the message alone. */
  readonly together?: readonly PlannedMessage[];
}

/** Thrown by a handler that saw its signal abort. */
class GaveUp extends Error {}

/**
 * The handler of a life, which does what is planned for each run of a key. `onHang` is told of one that never ends.
 */
export function createHandler(world: World, database: Database, life: Life, onHang: () => void) {
  return async function handle(
    message: PlannedMessage,
    attempt: Attempt,
    transaction?: Transaction,
    { behavesAs = message.key ?? '', over, together = [message] }: HandlerTerms = {},
  ): Promise<unknown> {
    const count = world.nextRunOf(behavesAs);
    const behaviour = behaviourOf(world, behavesAs, count);
    const { heeds } = behaviour;
    // No two runs return the same.
    const own = `${behavesAs}#${count}`;
    const isInTransaction = transaction !== undefined;
    const run: Run = { life, message, number: attempt.number, heeds, isInTransaction, together };
    world.tell({ type: 'run', run });
    if (transaction !== undefined) transaction.runs = [...transaction.runs, run];
    over?.addEventListener('abort', () => {
      end(world, run, { how: 'gave up' });
    });
    const giveBack = world.plan.settings.handlersHold ? await database.poolOf(life).take() : undefined;
    try {
      await work(world, run, behaviour, attempt, own, onHang);
      const result = await conclude(world, run, behaviour, own);
      if (over?.aborted !== true) end(world, run, { how: 'returned', result, canBeStored: result === own });
      return result;
    } catch (error) {
      if (over?.aborted !== true) end(world, run, endOf(error));
      throw error;
    } finally {
      giveBack?.();
    }
  };
}

function behaviourOf({ plan }: World, key: string, count: number): Behaviour {
  const planned = plan.behaviours.get(key) ?? [];
  return planned[Math.min(count, planned.length - 1)] ?? PLAIN;
}

function end(world: World, run: Run, runEnd: RunEnd): void {
  if (run.life.isAlive) world.tell({ type: 'ended', run, end: runEnd });
}

function endOf(error: unknown): RunEnd {
  if (error instanceof GaveUp)
    return { how: error.cause instanceof LeaseLostError ? 'lost its lease' : 'gave up' };
  if (error instanceof LeaseLostError) return { how: 'lost its lease' };
  if (error instanceof TerminalError) return { how: 'threw a terminal error' };
  if (!(error instanceof RetryableError)) return { how: 'threw', retryAfterMs: undefined, isDeferral: false };
  return { how: 'threw', retryAfterMs: error.retryAfterMs, isDeferral: !error.counted };
}

/** The effects of a run, with waits between them. */
async function work(
  world: World,
  run: Run,
  { waits, heeds, standsStillMs, ends }: Behaviour,
  attempt: Attempt,
  own: string,
  onHang: () => void,
): Promise<void> {
  const { life } = run;
  const { signal } = attempt;
  const look = (): void => {
    if (heeds && signal.aborted) throw new GaveUp('the signal has aborted', { cause: signal.reason });
    if (signal.aborted) tellFault(world, run, 'handler ignored its signal');
  };
  const effect = async (place: number): Promise<void> => {
    const milliseconds = waits[place] ?? 0;
    if (milliseconds > 0) await wait(life, milliseconds, heeds ? signal : undefined);
    const isLast = place === waits.length - 1;
    if (isLast && standsStillMs > 0 && !world.network.isCalm) {
      tellFault(world, run, 'handler blocked its process');
      await life.standStillHere(standsStillMs);
    }
    look();
    world.tell({ type: 'effect', run });
  };
  if (world.plan.settings.steps) await inSteps(world, run, attempt as StepAttempt, own, waits.length, effect);
  else for (const place of waits.keys()) await effect(place);
  if (ends !== 'hangs' || world.network.isCalm) return;
  tellFault(world, run, 'handler hung');
  onHang();
  await untilAborted(heeds ? signal : undefined);
  look();
}

/**
 * Each effect as a step: three of them side by side, and fewer one after the other. A handler that does not heed its
 * signal leaves the last of two to itself.
 */
async function inSteps(
  world: World,
  run: Run,
  { step, signal }: StepAttempt,
  own: string,
  count: number,
  effect: (place: number) => Promise<void>,
): Promise<void> {
  const tell = (fact: Fact): void => {
    if (run.life.isAlive) world.tell(fact);
  };
  const start = (place: number, beforeMs = 0) => {
    const name = `effect ${place}`;
    return step(name, async () => {
      tell({ type: 'step-began', run, name });
      if (beforeMs > 0) await wait(run.life, beforeMs, undefined);
      await effect(place);
      const done = `${name} of ${own}`;
      tell({ type: 'step-done', run, name, result: done });
      return done;
    });
  };
  const one = async (place: number): Promise<void> => {
    try {
      const result = await start(place);
      tell({ type: 'step', run, name: `effect ${place}`, result });
    } catch (error) {
      if (error instanceof GaveUp || !signal.aborted) throw error;
      throw new GaveUp('a step was refused', { cause: signal.reason });
    }
  };
  /** The handler does not learn of it, and its attempt fails with a step that was refused. */
  const leave = (call: Promise<unknown>): void => {
    void Promise.prototype.then.call(call, undefined, (error: unknown) => {
      end(world, run, { how: error instanceof LeaseLostError ? 'lost its lease' : 'gave up' });
    });
  };
  const places = Array.from({ length: count }, (_, place) => place);
  if (count === 3) {
    await Promise.all(places.map(one));
  } else {
    for (const place of places) {
      if (place === 1 && !run.heeds)
        leave(start(place, world.network.isCalm ? 0 : world.plan.settings.leaseMs));
      else await one(place);
    }
  }
}

/** Returns what the handler returns, mostly what is its own, or throws what it throws. */
function conclude(world: World, run: Run, { ends }: Behaviour, own: string): string | Promise<never> {
  switch (ends) {
    case 'returns':
    case 'hangs':
      return own;
    case 'returns too much':
      tellFault(world, run, 'handler returned too much');
      return 'x'.repeat(MAX_RESULT_BYTES + 1);
    case 'returns what the store refuses':
      return REFUSED_TEXT;
    case 'throws':
      if (throwsForEver(world)) return own;
      tellFault(world, run, 'handler threw');
      throw new Error('the handler threw');
    case 'throws a terminal error':
      tellFault(world, run, 'handler threw a terminal error');
      throw new TerminalError('never again');
    case 'asks for a later retry':
      tellFault(world, run, 'handler asked for a later retry');
      throw new RetryableError('not now', { retryAfterMs: LATER_MS });
    case 'says not yet':
      if (world.network.isCalm) return own;
      tellFault(world, run, 'handler said not yet');
      throw new RetryableError('not yet', { retryAfterMs: LATER_MS, counted: false });
    case 'kills its process':
      tellFault(world, run, 'handler killed its process');
      run.life.die();
      return never();
  }
}

/** Where failures have no limit, a message whose handler always throws would have no end. */
function throwsForEver({ network, plan }: World): boolean {
  return network.isCalm && plan.settings.maxAttempts === Infinity;
}

function tellFault(world: World, { life, message }: Run, fault: Fault): void {
  world.tell({ type: 'fault', fault, life, what: message.id });
}

/** Ends early when the signal aborts. */
function wait({ clock }: Life, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(resolve, milliseconds);
    signal?.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });
}

function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    signal?.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });
}
