/**
 * What a role does with the tables: handle messages; maintain them, and operate them by hand too; read them; or read
 * them, and retry and forget records.
 */
export type Use = 'handle' | 'maintain' | 'read' | 'operate';

export type TableName =
  | 'records'
  | 'migrations'
  | 'workers'
  | 'failures'
  | 'stats'
  | 'maintenance'
  | 'census'
  | 'audit'
  | 'archive';

const READ: Readonly<Partial<Record<TableName, string>>> = {
  records: 'select',
  migrations: 'select',
  workers: 'select',
  failures: 'select',
  stats: 'select',
  maintenance: 'select',
  census: 'select',
  audit: 'select',
};

/** The rights that each use needs, and no more. */
export const RIGHTS: Readonly<Record<Use, Readonly<Partial<Record<TableName, string>>>>> = {
  handle: {
    records: 'select, insert, update',
    migrations: 'select',
    workers: 'select, insert, update',
    failures: 'select, insert',
    stats: 'select, insert, update',
  },
  maintain: {
    records: 'select, update, delete',
    migrations: 'select',
    workers: 'select, delete',
    failures: 'select, delete',
    stats: 'select, delete',
    maintenance: 'select, insert, update',
    census: 'select, insert, update, delete',
    archive: 'select, insert',
  },
  read: READ,
  operate: {
    ...READ,
    records: 'select, update, delete',
    failures: 'select, delete',
    audit: 'select, insert, update',
  },
};

/** The statements that give a role the rights on some tables. The schema is quoted, and so is the role. */
export function grantsOn(
  schema: string,
  role: string,
  tables: Readonly<Partial<Record<TableName, string>>>,
): string[] {
  return [
    `grant usage on schema ${schema} to ${role}`,
    ...Object.entries(tables).map(([table, rights]) => `grant ${rights} on ${schema}.${table} to ${role}`),
  ];
}

/** The statements that let a role make the partitions of the archive: only its owner may. */
export function grantsOfArchive(schema: string, role: string): string[] {
  return [`grant create on schema ${schema} to ${role}`, `alter table ${schema}.archive owner to ${role}`];
}
