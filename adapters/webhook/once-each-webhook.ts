import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import {
  kernelOf,
  createAdapterEvents,
  hasFingerprintChoice,
  NOT_AN_OBJECT,
  lazily,
  parseOptions,
  type TransactionOf,
  wholeNumber,
  type OptionsChecked,
  resolveOptions,
  messageOptions,
} from '../../src/adapter-kit.ts';
import type { AnyHandleOnce, Counts, Outcome } from '../../src/index.ts';
import { answerTo, type WebhookAnswer } from './answer.ts';
import { toReceived, type WebhookDelivery } from './delivery.ts';
import type { WebhookEventType } from './events.ts';
import {
  type AnyWebhookHandler,
  scopeOf,
  type WebhookHandler,
  type WebhookOptions,
  webhookOptions,
  type WebhookPayload,
} from './options.ts';
import { processDelivery, type Processor } from './process-delivery.ts';
import { sourceOf } from './sources.ts';

const SUBJECT = 'onceEachWebhook';

/** What became of a delivery. */
export interface HandledWebhook<R> {
  /** The answer to the sender. A worker behind a queue ignores it and uses the outcome. */
  readonly answer: WebhookAnswer;
  /** What `handleOnce` returned; undefined when the delivery was refused or the store could not be asked. */
  readonly outcome?: Outcome<R>;
  /**
   * Why there is no outcome: an `UnverifiedError`, a `VerifyConfigError`, a `MissingIdError`, or what `handleOnce`
   * threw.
   */
  readonly error?: unknown;
}

/** What the caller knows about a delivery. */
export interface HandleWebhookOptions {
  /** Aborts `attempt.signal`; a delivery that has not started is answered 503. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that a duplicate waits for the one in flight, to get the same answer. Default 0: 503 at once. */
  readonly waitMs?: number | undefined;
}

/** What `onceEachWebhook` returns. */
export interface HandleWebhook<R> {
  /**
   * Handles one delivery. It resolves also when that was refused or the handler threw, and throws only
   * `InvalidOptionsError` on what is no delivery, such as a body that has been parsed.
   */
  (delivery: WebhookDelivery, options?: HandleWebhookOptions): Promise<HandledWebhook<R>>;
  /** How often each type of event happened. */
  counts(): Counts<WebhookEventType>;
}

/**
 * Wraps a handler for webhook deliveries, which senders repeat: each is verified first, and then handled once by the id
 * that its sender gave it, in a scope that belongs to its source. The result has the answer for the sender.
 *
 * Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * const webhook = new Webhook(webhookSecret);
 * const handleWebhook = onceEachWebhook(
 *   {
 *     handleOnce,
 *     source: 'standard-webhooks',
 *     schema: orderSchema,
 *     verify: ({ headers, body }) => {
 *       webhook.verify(body, headers); // throws when the signature does not hold
 *       return true;
 *     },
 *   },
 *   async (order, attempt) => {
 *     await charge(order, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
 *   },
 * );
 * const { answer } = await handleWebhook({ headers: request.headers, body: await request.text() });
 * ```
 */
export function onceEachWebhook<
  Result,
  Schema extends StandardSchemaV1 | undefined = undefined,
  Parsed = unknown,
  Once extends AnyHandleOnce = AnyHandleOnce,
  InTransaction extends boolean = false,
>(
  options: WebhookOptions<Schema, Parsed, InTransaction> &
    OptionsChecked<Schema, Parsed, Once, InTransaction>,
  handler: WebhookHandler<WebhookPayload<Schema, Parsed, Once>, TransactionOf<Once, InTransaction>, Result>,
): HandleWebhook<Result> {
  const resolved = resolveOptions(SUBJECT, webhookOptions(), options, handler);
  const { source, verify, parse } = resolved;
  const known = sourceOf(source);
  const scope = scopeOf(resolved);
  const handleOnce = resolved.handleOnce.inScope(scope);
  const processor: Processor<Result> = {
    name: scope.name,
    kernel: kernelOf({ ...resolved, subject: SUBJECT, handleOnce }),
    location: known.location,
    // The provider's own list applies only where no option is given, here or in createHandleOnce.
    fingerprint: [resolved, handleOnce.settings].some(hasFingerprintChoice) ? resolved : known,
    verify,
    parse,
    handler: resolved.handler as AnyWebhookHandler<Result>,
  };
  const events = createAdapterEvents(resolved);

  async function handleWebhook(
    delivery: WebhookDelivery,
    handleOptions: HandleWebhookOptions = {},
  ): Promise<HandledWebhook<Result>> {
    const callOptions = parseOptions(SUBJECT, handleOptionsSchema(), handleOptions);
    const received = toReceived(SUBJECT, delivery);
    const { id, type, verdict, outcome } = await processDelivery(processor, received, callOptions);
    const answer = answerTo(verdict);
    const error = verdict.acknowledge || verdict.error === undefined ? {} : { error: verdict.error };
    events.emit({ type, scope: handleOnce.settings.scope, id, ...answer, ...error });
    return { answer, ...(outcome === undefined ? {} : { outcome }), ...error };
  }

  return Object.assign(handleWebhook, { counts: events.counts });
}

const handleOptionsSchema = lazily(() =>
  z.strictObject(
    {
      signal: messageOptions().shape.signal,
      waitMs: z.optional(wholeNumber('milliseconds', 0, 43_200_000)),
    },
    NOT_AN_OBJECT,
  ),
);
