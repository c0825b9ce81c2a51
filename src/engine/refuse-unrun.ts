import { readable } from '../lib/safe-read.ts';

/**
 * Throws a `TypeError` where what a handler or a step returned, or an element of it, has not run: it would be done
 * without its effect.
 */
export function refuseUnrun(returned: unknown, by: 'handler' | 'step' = 'handler'): void {
  const all: readonly unknown[] = Array.isArray(returned) ? returned : [returned];
  const what = all.map(unrunIn).find((each) => each !== undefined);
  if (what !== undefined) throw new TypeError(`the ${by} returned ${what}`);
}

function unrunIn(returned: unknown): string | undefined {
  if (typeof returned === 'function') {
    return 'a function, which nothing has called: call it, and await what it returns';
  }
  if (typeof returned !== 'object' || returned === null) return undefined;
  if (isLazyIterator(returned)) {
    return 'a generator or a lazy iterator, which nothing has gone through: do so, with for await';
  }
  if (isObservable(returned)) {
    return 'an Observable, which nothing has subscribed to: return lastValueFrom(observable, { defaultValue: undefined })';
  }
  return undefined;
}

/**
 * A generator, also one compiled to older JavaScript, or what `map` makes of an iterator. Not any other iterator: an
 * honest result may be one, such as a list or the values of a map.
 */
function isLazyIterator(returned: object): boolean {
  const isGenerator = ['next', 'return', 'throw'].every((name) => isFunction(returned, name));
  return isGenerator || readable(returned, Symbol.toStringTag) === 'Iterator Helper';
}

/**
 * As of RxJS: stores and actors have `subscribe` and the symbol too, and no `pipe`. What defines the symbol may have
 * been loaded after RxJS.
 */
function isObservable(returned: object): boolean {
  const { observable = '@@observable' } = Symbol as { readonly observable?: symbol };
  const isMarked = isFunction(returned, observable) || isFunction(returned, '@@observable');
  return isMarked && ['subscribe', 'pipe'].every((name) => isFunction(returned, name));
}

function isFunction(of: object, name: string | symbol): boolean {
  return typeof readable(of, name) === 'function';
}
