/**
 * Which effects of a handler happen twice when its worker dies? A handler that takes its effects as arguments can be
 * asked. `npx tsx examples/crash-test.ts`
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Attempt } from 'handle-once';
import { crashTest } from 'handle-once/testing';

interface Order {
  readonly id: string;
  readonly cents: number;
  readonly email: string;
}

interface Effects {
  readonly charge: (cents: number, options: { readonly idempotencyKey: string }) => Promise<void>;
  readonly sendMail: (to: string, text: string) => Promise<void>;
}

const chargeAndTell =
  ({ charge, sendMail }: Effects) =>
  async (order: Order, attempt: Attempt): Promise<void> => {
    await charge(order.cents, { idempotencyKey: attempt.childKey('charge') });
    await sendMail(order.email, `We have charged ${order.cents} cents for ${order.id}.`);
  };

const effects = { charge: () => Promise.resolve(), sendMail: () => Promise.resolve() };
const payload: Order = { id: 'order-7', cents: 995, email: 'a@example.com' };

test('a crash does not charge twice, and can send the mail twice', async () => {
  const { doubled, crashes } = await crashTest({ effects, payload, handler: chargeAndTell });
  assert.deepEqual(
    crashes.map(({ after }) => after),
    ['charge', 'sendMail'],
  );
  assert.deepEqual(doubled, ['sendMail']);
});
