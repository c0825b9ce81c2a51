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
  if (
    isFunction(returned, 'next') &&
    (isFunction(returned, Symbol.iterator) || isFunction(returned, Symbol.asyncIterator))
  ) {
    return 'a generator or another iterator, which nothing has gone through: do so in the handler, with for await';
  }
  if (isFunction(returned, 'subscribe')) {
    return 'an Observable, which nothing has subscribed to: return lastValueFrom(observable, { defaultValue: undefined })';
  }
  return undefined;
}

function isFunction(of: object, name: string | symbol): boolean {
  return typeof readable(of, name) === 'function';
}
