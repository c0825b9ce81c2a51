/** What JSON shows nothing of, or refuses: a result with one of these in it is omitted. */
type NotJson = bigint | Promise<unknown> | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>;

/** What JSON leaves out of an object, and shows as null in a list. */
type LeftOut = symbol | ((...args: never[]) => unknown);

/**
 * What JSON keeps of a value of type `T`: a `Date` as text, an instance of a class as its members, and the result of a
 * `toJSON`. `never` for what JSON cannot keep, such as a `Map`, and for an object that holds one.
 *
 * JSON has no getters of a class and no members of an `Error`; TypeScript cannot distinguish them from other members.
 *
 * @example
 * ```ts
 * import type { JsonForm } from 'handle-once';
 *
 * const kept: JsonForm<{ at: Date }> = { at: '2026-01-31T12:00:00.000Z' };
 * ```
 */
export type JsonForm<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends { toJSON(key: string): infer Json }
    ? JsonForm<Json>
    : T extends NotJson
      ? never
      : T extends LeftOut
        ? undefined
        : T extends readonly unknown[]
          ? { [Index in keyof T]: JsonElement<T[Index]> }
          : T extends ArrayBufferView
            ? Readonly<Record<number, number>>
            : T extends object
              ? JsonObject<T>
              : T;

type JsonElement<T> = T extends undefined | LeftOut ? null : JsonForm<T>;

type JsonObject<T extends object> = [HoldsNotJson<T>] extends [false | undefined]
  ? { [Name in keyof T as T[Name] extends LeftOut ? never : Exclude<Name, symbol>]: JsonForm<T[Name]> }
  : never;

/** Looks at the members alone, and not into them, so that types may refer to themselves. */
type HoldsNotJson<T> = { [Name in keyof T]: IsNotJson<T[Name]> }[keyof T];

/** False for `any`, which is a 1 too. */
type IsNotJson<Member> = [Member] extends [NotJson] ? ([Member] extends [1] ? false : true) : false;
