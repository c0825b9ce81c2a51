/**
 * Has a property of an object read as something else, made of what it is. The returned function ends that, and leaves
 * what has been assigned since.
 */
export function overrideProperty(target: object, name: string, read: (own: unknown) => unknown): () => void {
  const own = Object.getOwnPropertyDescriptor(target, name);
  const prototype = Object.getPrototypeOf(target) as object;
  const kept = Object.create(prototype, own === undefined ? {} : { [name]: own }) as object;
  Object.defineProperty(target, name, {
    configurable: true,
    get: () => read(Reflect.get(kept, name, target)),
    set: (value: unknown) => {
      Reflect.set(kept, name, value);
    },
  });
  return () => {
    const last = Object.getOwnPropertyDescriptor(kept, name);
    if (last === undefined) Reflect.deleteProperty(target, name);
    else Object.defineProperty(target, name, last);
  };
}
