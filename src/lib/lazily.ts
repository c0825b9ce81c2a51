/**
 * Makes something when it is first asked for, and once.
 *
 * Schemas of options are made so: a process that starts pays for those that it uses, and for none by loading a module.
 */
/* @__NO_SIDE_EFFECTS__ */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
