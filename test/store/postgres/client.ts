import postgres from 'postgres';
import { afterAll } from 'vitest';

type ClientOptions = NonNullable<Parameters<typeof postgres>[1]>;

/** A client that is closed after the calling file's last test. */
export function useClient(url: string, options: ClientOptions = {}): postgres.Sql {
  const sql = postgres(url, { onnotice: () => undefined, ...options });
  afterAll(() => sql.end({ timeout: 5 }));
  return sql;
}
