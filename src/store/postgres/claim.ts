import { StoreError } from '../../words/errors.ts';
import type { ClaimReply, ClaimRequest, ClaimTerms } from '../store.ts';
import { suspectFrom } from '../suspects.ts';
import { batchOf } from '../../postgres/batch.ts';
import { toReply } from './claim-reply.ts';
import type { DatabaseClient } from '../../postgres/database-client.ts';
import { inLockOrder, replyForLocked, unlessLocked } from './locked-record.ts';
import { run } from '../../postgres/run-statement.ts';
import type { BySize } from '../../postgres/request-rows.ts';
import type { Statements } from './statements/index.ts';

const MAX_INTEGER = 2_147_483_647;

type ClaimStatements = Pick<Statements, 'claimNew' | 'claimAny' | 'locked'>;

/**
 * Claims with one statement, and with a second one the records that the first did not answer: they are claimable, since
 * their lease, backoff or retention has ended.
 */
export async function claim(
  client: DatabaseClient,
  statements: ClaimStatements,
  requests: readonly ClaimRequest[],
  terms: ClaimTerms,
): Promise<ClaimReply[]> {
  const ordered = inLockOrder(requests);
  const replies = await answers(client, statements.claimNew, ordered, terms.scope, [String(terms.leaseMs)]);
  const unanswered = ordered.filter(({ key }) => !replies.has(key));
  if (unanswered.length > 0) {
    try {
      const rest = await claimRest(client, statements, unanswered, terms);
      rest.forEach((reply, index) => {
        if (reply !== undefined) replies.set(unanswered[index]?.key ?? '', reply);
      });
    } catch (error) {
      throw requests.length === 1 ? error : withClaims(error);
    }
  }
  return requests.map(({ key }) => {
    const reply = replies.get(key);
    if (reply === undefined) throw noRow();
    return reply;
  });
}

function noRow(): StoreError {
  const message =
    'the database returned no row for a claimed key: look for a trigger or a rule on the table records';
  return new StoreError(message, { retriable: true });
}

function toInteger(limit: number): number {
  return Math.min(limit, MAX_INTEGER);
}

async function claimRest(
  client: DatabaseClient,
  statements: ClaimStatements,
  requests: readonly ClaimRequest[],
  terms: ClaimTerms,
): Promise<(ClaimReply | undefined)[]> {
  const { scope, leaseMs, maxAttempts, failedRetentionMs, maxDeaths, mayOwnSuspects } = terms;
  const ownedBelow = mayOwnSuspects ? Infinity : suspectFrom(maxDeaths);
  const more = [
    leaseMs,
    toInteger(maxAttempts),
    failedRetentionMs,
    toInteger(maxDeaths),
    toInteger(ownedBelow),
  ];
  const claimed = await unlessLocked(requests, async (some) => {
    const replies = await answers(client, statements.claimAny, some, scope, more.map(String));
    return some.map(({ key }) => replies.get(key));
  });
  return await Promise.all(
    requests.map(async ({ key }, index) => {
      const reply = claimed[index];
      return reply === 'locked' ? await replyForLocked(client, statements.locked, terms, key) : reply;
    }),
  );
}

/** The second statement failed, but requests of the first may have been claimed: the error must say so. */
function withClaims(error: unknown): unknown {
  if (!(error instanceof StoreError) || error.dataRefused) return error;
  const { message, retriable, cause } = error;
  return new StoreError(message, { retriable, mayHaveLanded: true, cause });
}

async function answers(
  client: DatabaseClient,
  statement: BySize,
  requests: readonly ClaimRequest[],
  scope: string,
  more: readonly string[],
): Promise<Map<string, ClaimReply>> {
  const { size, parameters } = batchOf(
    requests.map(({ key, token, fingerprint }) => [key, token, fingerprint]),
  );
  const rows = await run(client, statement[size], [scope, ...parameters, ...more]);
  return new Map(rows.map((row) => [row[0] ?? '', toReply(row)]));
}
