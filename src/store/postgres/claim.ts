import type { ClaimReply, ClaimRequest, ClaimTerms } from '../store.ts';
import { batchOf, type BySize } from './batch.ts';
import { toReply } from './claim-answer.ts';
import type { DatabaseClient } from './database-client.ts';
import { inLockOrder } from './lock-order.ts';
import { run } from './run.ts';

const MAX_INTEGER = 2_147_483_647;

export interface ClaimStatements {
  readonly claimNew: BySize;
  readonly claimAny: BySize;
}

/** Claims with one statement, and with a second what the first could not answer: records that are dead. */
export async function claim(
  client: DatabaseClient,
  statements: ClaimStatements,
  requests: readonly ClaimRequest[],
  terms: ClaimTerms,
): Promise<ClaimReply[]> {
  const ordered = inLockOrder(requests);
  const leaseMs = String(terms.leaseMs);
  const replies = await answers(client, statements.claimNew, ordered, terms.scope, [leaseMs]);
  const unanswered = ordered.filter(({ key }) => !replies.has(key));
  if (unanswered.length > 0) {
    const more = [leaseMs, String(Math.min(terms.maxAttempts, MAX_INTEGER)), String(terms.failedRetentionMs)];
    const rest = await answers(client, statements.claimAny, unanswered, terms.scope, more);
    for (const [key, reply] of rest) replies.set(key, reply);
  }
  return requests.map(({ key }) => {
    const reply = replies.get(key);
    if (reply === undefined) throw new Error('the claim left a key unanswered');
    return reply;
  });
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
