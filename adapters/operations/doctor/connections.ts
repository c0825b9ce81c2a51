import { connectionWarning } from '../../shared/connection-warning.ts';
import { toStoreError } from '../../../src/postgres/failure.ts';
import { SHARED_SESSIONS, UNPREPARED } from '../../../src/postgres/refusals.ts';
import { showsSharedSessions } from '../../../src/postgres/preparing.ts';
import { type Found, ok, problem, type Subject } from './finding.ts';

/** Now one statement and now two at once: connections and sessions change places, where sessions are shared. */
const ROUNDS = 4;

/**
 * The session that answers; how often it has this statement prepared, under however many names; and whether PgBouncer
 * gave a name. The parameter makes clients prepare it.
 */
const SESSION = `
select pg_backend_pid()::text as session,
  count(*) filter (where statement = current_query())::text as copies,
  coalesce(bool_or(starts_with(name, 'PGBOUNCER_')), false)::text as renamed
from pg_catalog.pg_prepared_statements
where $1::text is not null`;

/**
 * Whether a pooler gives the server sessions of one client to others, and prepared statements survive that. What is
 * found is certain; a pooler without other traffic can go unseen.
 */
export async function pooler({ client }: Subject): Promise<Found> {
  const { count, losesPrepared, keepsPrepared } = await sessionsOf(client);
  if (losesPrepared) {
    return problem(
      SHARED_SESSIONS.happened,
      `${UNPREPARED}; or have the pooler keep them, as PgBouncer does from 1.21 on with max_prepared_statements`,
    );
  }
  const { maxConnections = Infinity } = client;
  if (keepsPrepared || count > maxConnections) {
    return ok('a pooler shares the server sessions; prepared statements survive that, or are not used');
  }
  return ok('no sign of a pooler that shares server sessions');
}

/** What statements over the client's connections have shown. */
async function sessionsOf(client: Subject['client']) {
  /** How often each had the statement prepared when it first answered: other clients can have left it there. */
  const sessions = new Map<string, number>();
  /** A prepared statement was gone, or had to be prepared again in a session that had it already. */
  let losesPrepared = false;
  let keepsPrepared = false;

  async function ask(): Promise<void> {
    try {
      const [row] = await client.query(SESSION, ['1']);
      const [session, copies, renamed] = row ?? [];
      const first = sessions.get(session ?? '') ?? Number(copies);
      sessions.set(session ?? '', first);
      losesPrepared ||= Number(copies) > first;
      keepsPrepared ||= renamed === 'true';
    } catch (error) {
      if (!showsSharedSessions(error)) throw toStoreError(error);
      losesPrepared = true;
    }
  }

  for (let round = 1; round <= ROUNDS; round += 1) {
    await ask();
    await Promise.all([ask(), ask()]);
  }
  return { count: sessions.size, losesPrepared, keepsPrepared };
}

/** The connections of the client, against the handlers that can hold them. */
export function poolSize({ client: { maxConnections }, concurrency }: Subject): Found {
  if (maxConnections === undefined) return ok('the client does not say how many connections it opens');
  if (concurrency === undefined) return ok(`at most ${maxConnections} connections`);
  const warning = connectionWarning({ maxConnections, concurrency, inTransaction: true });
  if (warning !== undefined) return { level: 'notice', found: warning.message };
  return ok(`at most ${maxConnections} connections, for ${concurrency} handlers in transactions`);
}
