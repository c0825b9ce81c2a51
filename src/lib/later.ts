/** A promise that is resolved from outside. */
export interface Later<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | Promise<T>) => void;
}

export function later<T>(): Later<T> {
  let resolve: Later<T>['resolve'] = () => undefined;
  const promise = new Promise<T>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
}
