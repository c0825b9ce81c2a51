import { type LateStatements, rejected } from './late-statements.ts';

/** A connection of `pg` that sends nothing after the work of its transaction has ended. */
export function guardedConnection<Connection extends object>(
  connection: Connection,
  late: LateStatements,
): Connection {
  return new Proxy(connection, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name !== 'query') return member;
      return (...given: unknown[]) => {
        const refusal = late.refusalOf(textOf(given[0]));
        if (refusal === undefined) return (member as Query).apply(target, given);
        const callback = given.at(-1);
        if (typeof callback !== 'function') return rejected(refusal);
        (callback as (error: unknown) => void)(refusal);
        return undefined;
      };
    },
  });
}

type Query = (...given: unknown[]) => unknown;

function textOf(query: unknown): unknown {
  return typeof query === 'string' ? query : (query as { text?: unknown } | undefined)?.text;
}
