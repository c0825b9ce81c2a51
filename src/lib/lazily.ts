/**
 * Makes a value at the first call, and once.
 *
 * For schemas of options: a process pays for those that it uses, and not for loading a module.
 */
/* @__NO_SIDE_EFFECTS__ */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
