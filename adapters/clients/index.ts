/**
 * Postgres clients of other libraries, for the option `sql` of `createHandleOnce` and for `migrate`.
 *
 * @module handle-once/clients
 */
export { fromDrizzle } from './from-drizzle.ts';
export { fromKnex } from './from-knex.ts';
export { fromKysely } from './from-kysely.ts';
export { fromPg } from './from-pg.ts';
export { fromPglite } from './from-pglite.ts';
export { fromPrisma } from './from-prisma.ts';
export { guardedSocket, type GuardedSocket, type GuardedSocketOptions } from './guarded-socket.ts';
export { fromTypeOrm } from './from-typeorm.ts';
