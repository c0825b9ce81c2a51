/** Values that throw when they are looked at. Made by functions, since test names would look at them too. */

function trap(): never {
  throw new Error('trapped');
}

/** Every trap of it throws, also for `instanceof`. */
export function hostileProxy(target: object = {}): object {
  return new Proxy(target, new Proxy({}, { get: () => trap }));
}

export function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

export function withGetters<T extends object>(target: T, ...names: string[]): T {
  for (const name of names) Object.defineProperty(target, name, { enumerable: true, get: trap });
  return target;
}

export const HOSTILE = {
  'a Proxy whose traps throw': hostileProxy,
  'a revoked Proxy': revokedProxy,
  'an object whose getters throw': () => withGetters({}, 'name', 'message', 'code', 'cause', 'toJSON'),
} as const;

export const hostile = Object.entries(HOSTILE);
