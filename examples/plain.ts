/**
 * `handleOnce` alone, for a message from anywhere: run it twice, and the second time it answers from the record.
 *
 *     DATABASE_URL=postgres://localhost/postgres npx tsx examples/plain.ts
 */
import { createHandleOnce, migrate, TerminalError } from 'handle-once';
import postgres from 'postgres';
import { required } from './environment.ts';

interface Order {
  readonly id: string;
  readonly cents: number;
}

const sql = postgres(required('DATABASE_URL'), { fetch_types: false });
await migrate(sql);
const handleOnce = createHandleOnce({ sql, scope: 'billing' });

const [id = 'order-1', cents = '995'] = process.argv.slice(2);
const order: Order = { id, cents: Number(cents) };

const outcome = await handleOnce(order.id, order, (order, attempt) => {
  if (order.cents <= 0) throw new TerminalError('there is nothing to charge', { code: 'NOTHING_TO_CHARGE' });
  // Here you would charge the card, with this key: the provider then charges once, however often you ask.
  return { chargeId: attempt.childKey('charge').slice(0, 12) };
});

switch (outcome.state) {
  case 'succeeded': {
    const when = outcome.replayed ? 'before' : 'now';
    console.log(
      `charged ${when}, attempt ${outcome.attempts}: ${outcome.result?.chargeId ?? 'result not kept'}`,
    );
    break;
  }
  case 'failed':
    console.log(`failed permanently (${outcome.reason}): ${outcome.error.message}`);
    break;
  case 'pending':
    console.log(`not over (${outcome.reason}): deliver it again in ${outcome.retryAfterMs} ms`);
    break;
}
await sql.end({ timeout: 5 });
