/** How values that handlers throw are looked at: a Proxy, or a getter, can throw whatever is asked of it. */

/** Whether it was made by a class. False where that cannot be known. */
export function isA<T>(value: unknown, type: abstract new (...args: never[]) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** A property; undefined where it cannot be read. */
export function readable(value: object, property: string): unknown {
  try {
    return (value as Readonly<Record<string, unknown>>)[property];
  } catch {
    return undefined;
  }
}

/** The names of its own properties; none where they cannot be read. */
export function readableKeys(value: object): string[] {
  try {
    return Object.keys(value);
  } catch {
    return [];
  }
}

/** Whether a property can be read at all. */
export function canRead(value: object, property: string): boolean {
  try {
    Reflect.get(value, property);
    return true;
  } catch {
    return false;
  }
}
