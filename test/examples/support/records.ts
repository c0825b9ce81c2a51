import type postgres from 'postgres';

export interface RecordRow {
  readonly scope: string;
  readonly key: string;
  readonly state: string;
  readonly attempts: number;
  readonly result: string | null;
  readonly failed_reason: string | null;
}

export async function records(sql: postgres.Sql): Promise<RecordRow[]> {
  return await sql<RecordRow[]>`
    select scope, key, state, attempts, result, failed_reason
    from handle_once.records
    order by scope, key`;
}
