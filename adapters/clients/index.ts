/**
 * Postgres clients of other libraries, for the option `sql` of `createHandleOnce` and for `migrate`.
 *
 * @module
 */
export {
  fromDrizzle,
  type DrizzleDatabase,
  type DrizzleQuery,
  type DrizzleQueryable,
} from './from-drizzle.ts';
export { fromKnex, type KnexDatabase, type KnexQueryable, type KnexTransaction } from './from-knex.ts';
export { fromKysely, type KyselyDatabase, type KyselyQuery, type KyselyQueryable } from './from-kysely.ts';
export { fromPg, type PgConnection, type PgPool, type PgQueryable } from './from-pg.ts';
export type { PgOptions, PgQuery } from './pg-query.ts';
export { fromPglite, type Pglite, type PgliteQueryable } from './from-pglite.ts';
export { fromPrisma, type PrismaDatabase, type PrismaQueryable } from './from-prisma.ts';
export {
  guardedSocket,
  type GuardedSocket,
  type GuardedSocketOptions,
  type SocketTarget,
} from './guarded-socket.ts';
export { fromTypeOrm, type TypeOrmDataSource, type TypeOrmQueryable } from './from-typeorm.ts';
