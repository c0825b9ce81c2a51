import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { schemaOption } from '../../src/migrations/options.ts';
import { callback, NOT_AN_OBJECT, satisfying } from '../../src/options/parse-options.ts';
import { type SqlClient, sqlClient } from '../../src/postgres/sql-client.ts';

/**
 * What a visitor may do in addition to reading. `act`: retry and forget records. `results`: see what handlers returned.
 */
export type Right = (typeof RIGHTS)[number];

export const RIGHTS = ['act', 'results'] as const;

/** A person who may see the dashboard. */
export interface Visitor {
  /** As it is written to the table `audit`, at most 200 characters. */
  readonly name: string;
  /** Default: to read. */
  readonly rights?: readonly Right[] | undefined;
}

/** Options of `actions`. */
export interface ActionOptions {
  /** At least 32 characters, the same in all processes: it signs the forms, so no other site can send one. */
  readonly secret: string;
}

/** Options of `createDashboard`. */
export interface DashboardOptions {
  /** As for `createHandleOnce`. Its role needs `grantsSql({ role, for: 'read' })`; with actions `'operate'`. */
  readonly sql: SqlClient;
  /** The Postgres schema that has the tables. Default `handle_once`. */
  readonly databaseSchema?: string | undefined;
  /**
   * Who sends a request. Undefined: the sender may not see the dashboard, and gets 403. A `Response` is sent unchanged,
   * such as a redirect to a login. Called for every page, and not for the style sheet.
   */
  readonly authorize: (
    request: Request,
  ) => Visitor | Response | undefined | Promise<Visitor | Response | undefined>;
  /** Lets visitors with the right `act` retry and forget records. Default: nothing can be changed. */
  readonly actions?: ActionOptions | undefined;
}

const SHORTEST_SECRET = 32;

const SECRET = `a string of at least ${SHORTEST_SECRET} characters, such as openssl rand -hex 32 prints`;
const NOT_ACTIONS = { error: 'must be { secret }, or be left out' };

const isSecret = (value: unknown): boolean => typeof value === 'string' && value.length >= SHORTEST_SECRET;

export const dashboardOptions = lazily(() =>
  z.strictObject(
    {
      sql: sqlClient(),
      databaseSchema: schemaOption(),
      authorize: callback<DashboardOptions['authorize']>(
        'a function of a request that returns { name, rights } or undefined: without it anyone could read the records',
      ),
      actions: z.optional(z.strictObject({ secret: satisfying<string>(isSecret, SECRET) }, NOT_ACTIONS)),
    },
    NOT_AN_OBJECT,
  ),
);
