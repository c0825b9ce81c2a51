import type { Attempt } from '../../src/words/attempt.ts';

/** Something that a handler does outside of its record. */
export type Effect = (...args: never[]) => Promise<unknown>;

/** The effects of a handler, by their names in reports. */
export type Effects = Readonly<Record<string, Effect>>;

/** One call of an effect. */
export interface EffectCall {
  readonly effect: string;
  /** The child keys of the attempt that its arguments have. */
  readonly childKeys: readonly string[];
}

/**
 * `onDeath` is called after so many moments in which a worker can die: the end of an effect, and the record of a step.
 * From then on no effect returns, and none begins.
 */
export function watchEffects(effects: Effects, dieAfter: number, onDeath: () => void) {
  const given = new Set<string>();
  const calls: EffectCall[] = [];
  const done: string[] = [];
  /** The effect that was done last, at each moment. */
  const moments: string[] = [];
  const isDead = (): boolean => moments.length >= dieAfter;

  /** Whether the worker dies now. */
  function diesNow(): boolean {
    moments.push(done.at(-1) ?? '');
    if (isDead()) onDeath();
    return isDead();
  }

  async function run(effect: string, call: Effect, args: never[]): Promise<unknown> {
    if (isDead()) return await forever();
    const texts = textsIn(args);
    calls.push({ effect, childKeys: [...given].filter((key) => texts.some((text) => text.includes(key))) });
    const result = await returned(call, args);
    if (isDead()) return await forever();
    done.push(effect);
    return diesNow() ? await forever() : result;
  }

  async function returned(call: Effect, args: never[]): Promise<unknown> {
    try {
      return await call(...args);
    } catch (error) {
      if (isDead()) return await forever();
      throw error;
    }
  }

  return {
    effects: Object.fromEntries(
      Object.entries(effects).map(([name, call]) => [name, (...args: never[]) => run(name, call, args)]),
    ),
    /** Records the child keys that the attempt gives out. */
    watch<Of extends Attempt>(attempt: Of): Of {
      const childKey = attempt.childKey.bind(attempt);
      return Object.assign(attempt, {
        childKey(name: string): string {
          const key = childKey(name);
          given.add(key);
          return key;
        },
      });
    },
    /** Called when a step is on record. */
    async kept(): Promise<void> {
      if (done.length > 0 && diesNow()) await forever();
    },
    calls,
    moments,
    /** The effects that are done, in their order. */
    done,
  };
}

export type WatchedEffects = ReturnType<typeof watchEffects>;

function forever(): Promise<never> {
  return new Promise(() => undefined);
}

/** The effects that a second attempt did again, without a child key that says that it is the same call. */
export function doubledIn(first: readonly EffectCall[], second: readonly EffectCall[]): string[] {
  const names = new Set(first.map(({ effect }) => effect));
  return [...names].filter((name) => {
    const before = first.filter(({ effect }) => effect === name);
    const after = second.filter(({ effect }) => effect === name);
    return hasUnknown(before, after) && hasUnknown(after, before);
  });
}

/** Whether a call has no child key that one of the others has too. */
function hasUnknown(calls: readonly EffectCall[], others: readonly EffectCall[]): boolean {
  const known = new Set(others.flatMap(({ childKeys }) => childKeys));
  return calls.some(({ childKeys }) => !childKeys.some((key) => known.has(key)));
}

/** Deeper than the options of any call, and not deep enough to walk through a client that is passed along. */
const MAX_DEPTH = 6;

/** The texts in the arguments of a call: in lists, objects, Maps, Headers, Requests and bytes too. */
function textsIn(args: unknown): string[] {
  const seen = new Set<object>();
  const texts: string[] = [];

  function look(value: unknown, depth: number): void {
    if (typeof value === 'string') texts.push(value);
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || seen.has(value)) return;
    seen.add(value);
    if (ArrayBuffer.isView(value)) {
      texts.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString());
      return;
    }
    for (const member of membersOf(value)) look(member, depth + 1);
  }

  look(args, 0);
  return texts;
}

function membersOf(value: object): unknown[] {
  if (value instanceof Request) return [value.headers];
  return isIterable(value) ? [...value] : Object.values(value);
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value && typeof value[Symbol.iterator] === 'function';
}
