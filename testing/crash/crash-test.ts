import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { Handler } from '../../src/words/handler.ts';
import { createHandleOnceIn } from '../../src/api/create-handle-once.ts';
import { InvalidOptionsError } from '../../src/words/errors.ts';
import type { Outcome } from '../../src/words/outcome.ts';
import { createHost } from '../../src/engine/host.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { lazily } from '../../src/lib/lazily.ts';
import { callback, NOT_AN_OBJECT, parseOptions, satisfying } from '../../src/options/parse-options.ts';
import { createMemoryStore, type MemoryStore } from '../memory/memory.ts';
import { createMortalClock, createMortalStore } from './mortal.ts';
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
  /**
   * Of the message. Each delivery gets a copy of its own where `structuredClone` makes an equal one: of plain data. An
   * instance of a class, or a Buffer, is given as it is.
   */
  readonly payload: Payload;
  /**
   * Called before each message: to empty fakes that remember something, and caches outside of them. Default: nothing.
   */
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
  /** One after each effect, and one after each step once it is on record, in the order of the handler. */
  readonly crashes: readonly Crash<Name>[];
}

const crashTestOptions = lazily(() =>
  z
    .strictObject(
      {
        effects: satisfying<Effects>(isFilled, 'an object of functions that return promises').check(
          z.superRefine((effects, context) => {
            const message = 'must be a function that returns a promise';
            // What is no object has been refused before, which does not end the checks.
            for (const [name, effect] of Object.entries((effects as Effects | null | undefined) ?? {})) {
              if (typeof effect !== 'function') context.addIssue({ code: 'custom', path: [name], message });
            }
          }),
        ),
        handler: callback<(effects: Effects) => Handler<unknown>>('a function of the effects'),
        payload: z.optional(z.unknown()),
        reset: z.optional(callback<() => unknown>('a function')),
      },
      NOT_AN_OBJECT,
    )
    .check(
      z.superRefine((options, context) => {
        if ('payload' in options) return;
        const message = 'is missing: give that of a message, or undefined';
        context.addIssue({ code: 'custom', path: ['payload'], message });
      }),
    ),
);

function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

type Resolved = z.output<ReturnType<typeof crashTestOptions>>;

/**
 * Stops a handler after each of its effects, and after each step of it, as a crash would, delivers the message again,
 * and reports which effects ran twice without a child key.
 *
 * An effect is known by a child key anywhere in its arguments: a payment provider that gets it as idempotency key does
 * the second call once. It sees only what is in `effects`. It uses a store in memory, and needs no test runner.
 *
 * Throws `InvalidOptionsError`, also if the handler does not succeed without a crash, does none of the effects, or does
 * not do them again for the next message: then one of the crashes cannot happen.
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
  for (const [index, effect] of whole.moments.entries()) {
    crashes.push(await crashAfter(given, effect, index + 1));
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
  const handled = await createWorker(createMemoryStore(), '1').handle(options, watched);
  if (handled.outcome.state !== 'succeeded') {
    const what = described(handled.outcome);
    const message = `must succeed without a crash, but the message is ${what}: correct it, or its effects`;
    throw new InvalidOptionsError(SUBJECT, [{ field: 'handler', message }], { cause: handled.thrown });
  }
  if (watched.done.length === 0) {
    const called = [...new Set(watched.calls.map(({ effect }) => effect))].join(', ');
    const message =
      called === ''
        ? 'were not called by the handler: have it call those that it is given'
        : `were called by the handler (${called}), but none completed: have them resolve, and the handler await them`;
    throw new InvalidOptionsError(SUBJECT, [{ field: 'effects', message }]);
  }
  return watched;
}

/** A message whose first worker dies at this moment; without a crash the effect before it is `planned`. */
async function crashAfter(options: Resolved, planned: string, dieAfter: number): Promise<Crash<string>> {
  await options.reset?.();
  const store = createMemoryStore();
  const first = createWorker(store, '1');
  let resolveDeath: (end: 'died') => void = () => undefined;
  const died = new Promise<'died'>((resolve) => {
    resolveDeath = resolve;
  });
  const before = watchEffects(options.effects, dieAfter, () => {
    first.die();
    resolveDeath('died');
  });
  const end = await Promise.race([died, first.handle(options, before)]);
  if (end !== 'died') throw notRepeated(planned, end);
  if (!before.calls.some(({ effect }) => effect === planned)) throw notRepeated(planned);
  store.advance(LEASE_MS);
  const after = watchEffects(options.effects, Infinity, () => undefined);
  const { outcome } = await createWorker(store, '2').handle(options, after);
  return { after: before.done.at(-1) ?? planned, doubled: doubledIn(before.calls, after.calls), outcome };
}

/** What is left of the messages before kept an effect from being done, so that no crash can follow it. */
function notRepeated(effect: string, ended?: Handled): InvalidOptionsError {
  const how = ended === undefined ? 'another effect was done' : `the message is ${described(ended.outcome)}`;
  const message =
    `was done for the first message, but not for a later one, so no crash can follow it: ${how}. ` +
    'Let reset empty fakes that remember something, and keep no state outside of the effects, ' +
    'such as a cache of the module or a payload that the handler changes';
  const issues = [{ field: `effects.${effect}`, message }];
  return new InvalidOptionsError(SUBJECT, issues, { cause: ended?.thrown });
}

function described(outcome: Outcome<unknown>): string {
  const { state } = outcome;
  if (state === 'succeeded' || outcome.error === undefined) return state;
  return `${state}, by ${outcome.error.name} (the cause of this error)`;
}

interface Handled {
  readonly outcome: Outcome<unknown>;
  /** What the handler threw. */
  readonly thrown: unknown;
}

/** One process. */
function createWorker(store: MemoryStore, name: string) {
  const clock = createMortalClock(systemClock);
  let watching: WatchedEffects | undefined;
  const mortal = createMortalStore(store, async () => {
    await watching?.kept();
  });
  const handleOnce = createHandleOnceIn(createHost(clock, name.padStart(8, '0')), {
    store: mortal,
    scope: 'crash-test',
    leaseMs: LEASE_MS,
    onEvent: () => undefined,
  });
  return {
    async handle({ handler: maker, payload }: Resolved, watched: WatchedEffects): Promise<Handled> {
      const handler = madeBy(maker, watched.effects);
      watching = watched;
      let thrown: unknown;
      const outcome = await handleOnce('message', copyOf(payload), async (content, attempt) => {
        try {
          return await handler(content, watched.watch(attempt));
        } catch (error) {
          thrown = error;
          throw error;
        }
      });
      return { outcome, thrown };
    },
    die(): void {
      clock.die();
      mortal.die();
    },
  };
}

const NO_HANDLER = 'must return the handler: (effects) => async (payload, attempt) => ...';

/** Throws `InvalidOptionsError` for what is no maker of a handler, most likely the handler itself. */
function madeBy(maker: Resolved['handler'], effects: Effects): Handler<unknown> {
  const refused = (options?: ErrorOptions): InvalidOptionsError =>
    new InvalidOptionsError(SUBJECT, [{ field: 'handler', message: NO_HANDLER }], options);
  let made: unknown;
  try {
    made = maker(effects);
  } catch (cause) {
    throw refused({ cause });
  }
  if (typeof made === 'function') return made as Handler<unknown>;
  // A handler that was called as if it were the maker: its promise rejects with what it misses.
  Promise.resolve(made).catch(() => undefined);
  throw refused();
}

/** What a broker would deliver: a copy that no other attempt has changed. */
function copyOf(payload: unknown): unknown {
  try {
    const copy: unknown = structuredClone(payload);
    return isDeepStrictEqual(copy, payload) ? copy : payload;
  } catch {
    return payload;
  }
}
