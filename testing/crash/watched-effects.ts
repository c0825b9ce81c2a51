import type { Attempt } from '../../src/words/attempt.ts';
import { textsIn } from './texts-in.ts';

/** Something that a handler does outside of its record. */
export type Effect = (...args: never[]) => Promise<unknown>;

/** The effects of a handler, by the names that a report has for them. */
export type Effects = Readonly<Record<string, Effect>>;

/** One call of an effect. */
export interface EffectCall {
  readonly effect: string;
  /** The child keys of the attempt that its arguments have. */
  readonly childKeys: readonly string[];
}

/** `onDeath` is called once `dieAfter` effects are done: from then on none returns, and none begins. */
export function watchEffects(effects: Effects, dieAfter: number, onDeath: () => void) {
  const given = new Set<string>();
  const calls: EffectCall[] = [];
  const done: string[] = [];
  const isDead = (): boolean => done.length >= dieAfter;

  async function run(effect: string, call: Effect, args: never[]): Promise<unknown> {
    if (isDead()) return await forever();
    const texts = textsIn(args);
    calls.push({ effect, childKeys: [...given].filter((key) => texts.some((text) => text.includes(key))) });
    const result = await returned(call, args);
    if (isDead()) return await forever();
    done.push(effect);
    if (!isDead()) return result;
    onDeath();
    return await forever();
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
    /** Notes the child keys that the attempt gives out. */
    watch(attempt: Attempt): Attempt {
      const childKey = attempt.childKey.bind(attempt);
      return Object.assign(attempt, {
        childKey(name: string): string {
          const key = childKey(name);
          given.add(key);
          return key;
        },
      });
    },
    calls,
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
