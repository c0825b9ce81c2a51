import { endsWithin } from '../../src/adapter-kit.ts';
import type { SqlClient } from '../../src/index.ts';
import { fromPg } from '../clients/index.ts';
import { loadConfig } from './config.ts';
import { UsageError } from './errors.ts';
import { installed } from './installed.ts';

export interface ConnectOptions {
  readonly databaseUrl?: string | undefined;
  /** A module that exports the clients. */
  readonly config?: string | undefined;
}

const PROTOCOLS: ReadonlySet<string> = new Set(['postgres:', 'postgresql:']);

/** The `sql` of the module `--config`, or a client for `DATABASE_URL` by whichever library is installed. */
export async function connect({ databaseUrl, config }: ConnectOptions) {
  const { sql } = await loadConfig(config);
  if (sql !== undefined) {
    if (databaseUrl !== undefined)
      throw new UsageError('--database-url and the sql of --config are two databases: leave one of them out');
    return { sql, end: () => letGo(sql.end?.()) };
  }
  const url = databaseUrl ?? process.env['DATABASE_URL'];
  if (url === undefined || url === '') {
    throw new UsageError(
      'no database is named: set DATABASE_URL, or give --database-url, or a --config that exports sql',
    );
  }
  if (!URL.canParse(url)) {
    throw new UsageError(
      'DATABASE_URL, or --database-url, is not a URL: write postgres://user:password@host:5432/database, and ' +
        'percent-encode special characters in the user and the password (%2F for /, %23 for #, %3F for ?)',
    );
  }
  const { protocol } = new URL(url);
  if (!PROTOCOLS.has(protocol)) {
    throw new UsageError(
      `DATABASE_URL, or --database-url, begins with ${protocol}, but the records are in PostgreSQL: ` +
        'write postgres://user:password@host:5432/database',
    );
  }
  if (!isEncoded(url)) {
    throw new UsageError(
      'DATABASE_URL, or --database-url, has a % that does not begin an escape: percent-encode the user and the ' +
        'password (%25 for %)',
    );
  }
  const connection = (await withPostgres(url)) ?? (await withPg(url));
  if (connection === undefined) {
    throw new UsageError('no Postgres client is installed: run npm install postgres, or npm install pg');
  }
  return connection;
}

/** What the libraries cannot decode they refuse as a mistake of theirs. */
function isEncoded(url: string): boolean {
  try {
    // Used, since a bundler drops the call otherwise.
    return decodeURIComponent(url) !== '';
  } catch {
    return false;
  }
}

/** A client whose connection has broken may never end: the command must, with what the database said. */
const END_MS = 1_000;

/** One for the statement, one for what runs outside its transaction. */
const CONNECTIONS = 2;

/** Parameters of a URL that Prisma takes out, and `postgres` sends to the server. */
const OF_PRISMA: ReadonlySet<string> = new Set(['schema', 'pgbouncer', 'connection_limit', 'pool_timeout']);

async function withPostgres(url: string) {
  const module = await installed<{ readonly default: (url: string, options: object) => Ending & SqlClient }>(
    'postgres',
  );
  if (module === undefined) return undefined;
  const unknown = [...new URL(url).searchParams.keys()].filter((name) => OF_PRISMA.has(name));
  if (unknown.length > 0) {
    throw new UsageError(
      `DATABASE_URL, or --database-url, has parameters that PostgreSQL does not know: remove ${unknown.join(', ')} ` +
        'from it',
    );
  }
  const sql = module.default(url, { max: CONNECTIONS, onnotice: () => undefined, fetch_types: false });
  return { sql, end: () => letGo(sql.end()) };
}

async function withPg(url: string) {
  type Pool = Ending & Parameters<typeof fromPg>[0] & { on(event: 'error', listener: () => void): unknown };
  const module = await installed<{ readonly default: { readonly Pool: new (options: object) => Pool } }>(
    'pg',
  );
  if (module === undefined) return undefined;
  const pool = new module.default.Pool({ connectionString: url, max: CONNECTIONS });
  // A connection that breaks while it is idle: the next statement opens another, or says what is wrong.
  pool.on('error', () => undefined);
  return { sql: fromPg(pool), end: () => letGo(pool.end()) };
}

async function letGo(ended: Promise<void> | undefined): Promise<void> {
  await endsWithin(
    Promise.resolve(ended).catch(() => undefined),
    END_MS,
  );
}

interface Ending {
  end(): Promise<void>;
}
