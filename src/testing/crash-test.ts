import * as z from 'zod/mini';
import type { Handler } from '../api/attempt.ts';
import { createHandleOnceIn } from '../api/create-handle-once.ts';
import { InvalidOptionsError } from '../api/errors.ts';
import type { Outcome } from '../api/outcome.ts';
import { createHost } from '../engine/host.ts';
import { systemClock } from '../lib/clock.ts';
import { lazily } from '../lib/lazily.ts';
import { callback, NOT_AN_OBJECT, parseOptions, satisfying } from '../options/parse-options.ts';
import { createMemoryStore, type MemoryStore } from '../store/memory.ts';
import { createMortalClock } from './mortal-clock.ts';
import { doubledIn, type Effects, watchEffects, type WatchedEffects } from './watched-effects.ts';

const SUBJECT = 'crashTest';
const LEASE_MS = 30_000;

/** Options of `crashTest`. */
export interface CrashTestOptions<Declared extends Effects, Payload> {
  /**
   * What the handler does outside of its record, by name: functions that return a promise, such as fakes of a payment
   * provider. They are called for real.
   */
  readonly effects: Declared;
  /** Makes the handler that is tested. It must call the effects that it is given here, and no others. */
  readonly handler: (effects: Declared) => Handler<Payload>;
  /** Of the message. */
  readonly payload: Payload;
  /** Called before each message: to empty fakes that remember something. Default: nothing. */
  readonly reset?: (() => unknown) | undefined;
}

/** One death of a worker, and the attempt after it. */
export interface Crash<Name extends string> {
  /** The effect that was done last when the worker died. */
  readonly after: Name;
  /** What the second attempt did again, without the child key that the first gave to the same call. */
  readonly doubled: readonly Name[];
  /** What became of the message in the second attempt. A `failed` or `pending` one has its error in `outcome`. */
  readonly outcome: Outcome<unknown>;
}

/** What `crashTest` has seen. */
export interface CrashReport<Name extends string> {
  /** The effects that ran twice without a child key, after any of the crashes. Empty: none did. */
  readonly doubled: readonly Name[];
  /** Declared effects that the handler has never called: nothing is known of them. */
  readonly notCalled: readonly Name[];
  /** One after each effect, in the order of the handler. */
  readonly crashes: readonly Crash<Name>[];
}

const crashTestOptions = lazily(() =>
  z.strictObject(
    {
      effects: satisfying<Effects>(areEffects, 'an object of functions that return promises'),
      handler: callback<(effects: Effects) => Handler<unknown>>('a function of the effects'),
      payload: z.unknown(),
      reset: z.optional(callback<() => unknown>('a function')),
    },
    NOT_AN_OBJECT,
  ),
);

function areEffects(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members = Object.values(value);
  return members.length > 0 && members.every((member) => typeof member === 'function');
}

type Resolved = z.output<ReturnType<typeof crashTestOptions>>;

/**
 * Stops a handler after each of its effects, as a crash would, delivers the message again, and reports which effects
 * ran twice without a child key.
 *
 * An effect is known by a child key anywhere in its arguments: a payment provider that gets it as idempotency key does
 * the second call once. What is not among `effects` is not seen, whatever it does. It uses a store in memory, and
 * needs no test runner.
 *
 * Throws `InvalidOptionsError`, also where the handler does not succeed without a crash, or calls none of the effects:
 * then nothing would be tested.
 *
 * @example
 * ```ts
 * const report = await crashTest({
 *   effects: {
 *     charge: async (cents: number, options: { idempotencyKey: string }) => ({ id: `charge-${cents}`, ...options }),
 *     email: async (to: string) => void to,
 *   },
 *   payload: { cents: 995, to: 'a@example.com' },
 *   handler: ({ charge, email }) => async (order, attempt) => {
 *     await charge(order.cents, { idempotencyKey: attempt.childKey('charge') });
 *     await email(order.to);
 *   },
 * });
 * console.log(report.doubled); // [ 'email' ]
 * ```
 */
export async function crashTest<Declared extends Effects, Payload>(
  options: CrashTestOptions<Declared, Payload>,
): Promise<CrashReport<keyof Declared & string>> {
  const given = parseOptions(SUBJECT, crashTestOptions(), options);
  const whole = await runWhole(given);
  const crashes: Crash<string>[] = [];
  for (let dieAfter = 1; dieAfter <= whole.done.length; dieAfter += 1) {
    const crash = await crashAfter(given, dieAfter);
    if (crash !== undefined) crashes.push(crash);
  }
  const called = new Set(whole.calls.map(({ effect }) => effect));
  return {
    doubled: [...new Set(crashes.flatMap(({ doubled }) => doubled))],
    notCalled: Object.keys(given.effects).filter((name) => !called.has(name)),
    crashes,
  };
}

/** The handler without a crash. Throws `InvalidOptionsError` where there is nothing to be tested. */
async function runWhole(options: Resolved): Promise<WatchedEffects> {
  await options.reset?.();
  const watched = watchEffects(options.effects, Infinity, () => undefined);
  const { outcome, thrown } = await createWorker(createMemoryStore(), '1').handle(options, watched);
  if (outcome.state !== 'succeeded') {
    const what = outcome.error === undefined ? outcome.state : `${outcome.state}, by ${outcome.error.name}`;
    const message = `must succeed without a crash, and the message is ${what}: correct it, or its effects`;
    throw new InvalidOptionsError(SUBJECT, [{ field: 'handler', message }], { cause: thrown });
  }
  if (watched.done.length === 0) {
    const message = 'were not called by the handler: have it call those that it is given';
    throw new InvalidOptionsError(SUBJECT, [{ field: 'effects', message }]);
  }
  return watched;
}

/** A message whose first worker dies. Undefined where its handler ends before that. */
async function crashAfter(options: Resolved, dieAfter: number): Promise<Crash<string> | undefined> {
  await options.reset?.();
  const store = createMemoryStore();
  const first = createWorker(store, '1');
  let tellDeath: (end: 'died') => void = () => undefined;
  const died = new Promise<'died'>((resolve) => {
    tellDeath = resolve;
  });
  const before = watchEffects(options.effects, dieAfter, () => {
    first.die();
    tellDeath('died');
  });
  const end = await Promise.race([died, first.handle(options, before)]);
  if (end !== 'died') return undefined;
  store.advance(LEASE_MS);
  const after = watchEffects(options.effects, Infinity, () => undefined);
  const { outcome } = await createWorker(store, '2').handle(options, after);
  return { after: before.done.at(-1) ?? '', doubled: doubledIn(before.calls, after.calls), outcome };
}

interface Worker {
  handle(options: Resolved, watched: WatchedEffects): Promise<Handled>;
  die(): void;
}

interface Handled {
  readonly outcome: Outcome<unknown>;
  /** What the handler threw. */
  readonly thrown: unknown;
}

/** A process of its own. */
function createWorker(store: MemoryStore, name: string): Worker {
  const clock = createMortalClock(systemClock);
  const handleOnce = createHandleOnceIn(createHost(clock, name.padStart(8, '0')), {
    store,
    scope: 'crash-test',
    leaseMs: LEASE_MS,
    onEvent: () => undefined,
  });
  return {
    async handle({ handler, payload }, watched) {
      let thrown: unknown;
      const outcome = await handleOnce('message', payload, async (content, attempt) => {
        try {
          return await handler(watched.effects)(content, watched.watch(attempt));
        } catch (error) {
          thrown = error;
          throw error;
        }
      });
      return { outcome, thrown };
    },
    die() {
      clock.die();
    },
  };
}
