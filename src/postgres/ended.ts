/** How work ended. */
export type Ended<T> = { readonly value: T } | { readonly error: unknown };

export async function endOf<T>(work: () => Promise<T>): Promise<Ended<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

/** Throws the error of what failed. */
export function valueOf<T>(ended: Ended<T>): T {
  if ('error' in ended) throw ended.error;
  return ended.value;
}
