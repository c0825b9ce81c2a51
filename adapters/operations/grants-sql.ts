import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { schemaOption } from '../../src/migrations/options.ts';
import { NOT_AN_OBJECT, parseOptions, satisfying } from '../../src/options/parse-options.ts';
import { quoteIdentifier } from '../../src/postgres/identifier.ts';
import { grantsOfArchive, grantsOn, RIGHTS } from '../../src/postgres/rights.ts';

/** Options of `grantsSql`. */
export interface GrantsSqlOptions {
  /** The name of the role in the database. It must exist. */
  readonly role: string;
  /**
   * `'handle'`: what `createHandleOnce` and the adapters need. `'maintain'`: what maintenance and the other functions
   * of `handle-once/operations` need. `'archive'`: the same, and ownership of the table `archive`: maintenance with
   * `archive: true` creates its partitions. `'read'`: what the dashboard needs. `'operate'`: what its actions need too.
   * Default `'handle'`.
   */
  readonly for?: (typeof USES)[number] | undefined;
  /** The Postgres schema that has the tables. Default `handle_once`. */
  readonly databaseSchema?: string | undefined;
}

export const USES = ['handle', 'maintain', 'archive', 'read', 'operate'] as const;

const LONGEST_NAME = 63;

const grantsOptions = lazily(() =>
  z.strictObject(
    {
      role: satisfying<string>(
        (value) =>
          typeof value === 'string' && /^[^\0]+$/.test(value) && Buffer.byteLength(value) <= LONGEST_NAME,
        'the name of a role, at most 63 bytes',
      ),
      for: z._default(z.enum(USES, { error: `must be one of '${USES.join("', '")}'` }), 'handle'),
      databaseSchema: schemaOption(),
    },
    NOT_AN_OBJECT,
  ),
);

/**
 * The statements that give a role the rights that it needs, and no more. Run them as the owner of the tables.
 *
 * Those of `for: 'archive'` change the owner of the table `archive`: run them as a superuser, or as an owner of the
 * tables that is a member of the role, so that it can still migrate. Only the owner can run migrations. Throws
 * `InvalidOptionsError`.
 *
 * @example
 * ```ts
 * import { grantsSql } from 'handle-once/operations';
 *
 * await sql.unsafe(grantsSql({ role: 'billing_worker' }));
 * ```
 */
export function grantsSql(options: GrantsSqlOptions): string {
  const { role, for: use, databaseSchema } = parseOptions('grantsSql', grantsOptions(), options);
  const names = [quoteIdentifier(databaseSchema), quoteIdentifier(role)] as const;
  const grants =
    use === 'archive'
      ? [...grantsOn(...names, RIGHTS.maintain), ...grantsOfArchive(...names)]
      : grantsOn(...names, RIGHTS[use]);
  return grants.map((grant) => `${grant};\n`).join('');
}
