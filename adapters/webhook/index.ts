/**
 * Webhooks: each delivery is verified, and then handled once by the id that its sender gave it.
 *
 * @example
 * ```ts
 * import { onceEachWebhook } from 'handle-once/webhook';
 *
 * const handleWebhook = onceEachWebhook({ handleOnce, source: 'github', verify }, async (event, attempt) => {
 *   console.log(attempt.headers['x-github-event'], event);
 * });
 * const { answer } = await handleWebhook({ headers: request.headers, body: await request.text() });
 * ```
 *
 * @module handle-once/webhook
 */
export type { WebhookAnswer } from './answer.ts';
export type { ReceivedWebhook, WebhookDelivery } from './delivery.ts';
export { MissingIdError, UnverifiedError, VerifyConfigError } from './errors.ts';
export type { WebhookEvent } from './events.ts';
export type { Verify, WebhookAttempt, WebhookHandler, WebhookOptions } from './options.ts';
export type { WebhookProvider } from './sources.ts';
export { webhookId } from './webhook-id.ts';
export { type HandledWebhook, type HandleWebhook, onceEachWebhook } from './once-each-webhook.ts';
