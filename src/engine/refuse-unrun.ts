import { readable } from '../lib/safe-read.ts';

/** Throws a `TypeError` where what a handler returned has not run: its message would be done without its effect. */
export function refuseUnrun(returned: unknown): void {
  const what = unrunIn(returned);
  if (what !== undefined) throw new TypeError(`the handler returned ${what}`);
}

function unrunIn(returned: unknown): string | undefined {
  if (typeof returned === 'function') {
    return 'a function, which nothing has called: call it in the handler, and await what it returns';
  }
  if (typeof returned !== 'object' || returned === null) return undefined;
  if (isLazyIterator(returned)) {
    return 'a generator or a lazy iterator, which nothing has gone through: do so in the handler, with for await';
  }
  if (isObservable(returned)) {
    return 'an Observable, which nothing has subscribed to: return lastValueFrom(observable, { defaultValue: undefined })';
  }
  return undefined;
}

/** Not any other iterator: an honest result may be one, such as a list or the values of a map. */
const LAZY = new Set<unknown>(['Generator', 'AsyncGenerator', 'Iterator Helper']);

function isLazyIterator(returned: object): boolean {
  return isFunction(returned, 'next') && LAZY.has(readable(returned, Symbol.toStringTag));
}

/** As of RxJS: stores and actors have `subscribe` and the symbol too, and no `pipe`. */
function isObservable(returned: object): boolean {
  const { observable = '@@observable' } = Symbol as { readonly observable?: symbol };
  return ['subscribe', 'pipe', observable].every((name) => isFunction(returned, name));
}

function isFunction(of: object, name: string | symbol): boolean {
  return typeof readable(of, name) === 'function';
}
