import * as z from 'zod/mini';
import { lazily, parseOptions } from '../../src/adapter-kit.ts';
import { toReceived, type WebhookDelivery } from './delivery.ts';
import { deliveryIdAt } from './delivery-id.ts';
import { source as sourceSchema } from './options.ts';
import { type IdLocation, sourceOf, type WebhookProvider } from './sources.ts';

const SUBJECT = 'webhookId';

const sourceOption = lazily(() => z.object({ source: sourceSchema() }));

/**
 * The id of a delivery, for a receiver that puts verified deliveries on a queue, where it is the key. It does not
 * verify anything.
 *
 * Throws `MissingIdError`, which names the place of the id, and `InvalidOptionsError` for a value that is not a
 * delivery.
 *
 * @example
 * ```ts
 * const id = webhookId('github', { headers: request.headers, body: await request.text() });
 * ```
 */
export function webhookId(source: WebhookProvider | IdLocation, delivery: WebhookDelivery): string {
  const resolved = parseOptions(SUBJECT, sourceOption(), { source });
  return deliveryIdAt(sourceOf(resolved.source).location, toReceived(SUBJECT, delivery));
}
