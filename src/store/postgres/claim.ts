import { StoreError } from '../../api/errors.ts';
import type { ClaimReply, ClaimRequest, ClaimTerms } from '../store.ts';
import { suspectFrom } from '../suspects.ts';
import { batchOf } from './batch.ts';
import { toReply } from './claim-reply.ts';
import type { DatabaseClient } from './database-client.ts';
import { isLocked, replyForLocked } from './locked-record.ts';
import { inLockOrder } from './lock-order.ts';
import { run } from './run-statement.ts';
import type { BySize } from './statements/request-rows.ts';
import type { Statements } from './statements/index.ts';

const MAX_INTEGER = 2_147_483_647;

type ClaimStatements = Pick<Statements, 'claimNew' | 'claimAny' | 'locked'>;

/**
 * Claims with one statement, and with a second what the first could not answer: records that are claimable, since
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
    const rest = await claimRest(client, statements, unanswered, terms);
    for (const [key, reply] of rest) replies.set(key, reply);
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

/** A record that an open transaction holds must not keep the others of its batch waiting. */
async function claimRest(
  client: DatabaseClient,
  statements: ClaimStatements,
  requests: readonly ClaimRequest[],
  terms: ClaimTerms,
): Promise<ReadonlyMap<string, ClaimReply>> {
  const { scope, leaseMs, maxAttempts, failedRetentionMs, maxDeaths, mayOwnSuspects } = terms;
  const ownedBelow = mayOwnSuspects ? Infinity : suspectFrom(maxDeaths);
  const more = [
    leaseMs,
    toInteger(maxAttempts),
    failedRetentionMs,
    toInteger(maxDeaths),
    toInteger(ownedBelow),
  ];
  try {
    return await answers(client, statements.claimAny, requests, scope, more.map(String));
  } catch (error) {
    if (!isLocked(error)) throw error;
  }
  const [first, ...others] = requests;
  if (first === undefined) return new Map();
  if (others.length === 0) {
    return new Map([[first.key, await replyForLocked(client, statements.locked, scope, first.key)]]);
  }
  const alone = requests.map((request) => claimRest(client, statements, [request], terms));
  return new Map((await Promise.all(alone)).flatMap((replies) => [...replies]));
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
