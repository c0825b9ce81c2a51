import {
  type FingerprintOptions,
  causeOf,
  type Kernel,
  deliver,
  endingOf,
  nameOfThrown,
  type Verdict,
} from '../../src/adapter-kit.ts';
import type { Outcome } from '../../src/index.ts';
import { copyOf, type ReceivedWebhook } from './delivery.ts';
import { deliveryIdAt } from './delivery-id.ts';
import type { WebhookEventType } from './events.ts';
import type { AnyWebhookHandler, Verify } from './options.ts';
import { refusalReason, type WebhookReason } from './reason.ts';
import type { IdLocation } from './sources.ts';
import { UnverifiedError, VerifyConfigError } from './errors.ts';

export interface Processor<R> {
  /** Of the source. */
  readonly name: string;
  /** Of the scope of the source. */
  readonly kernel: Kernel;
  readonly location: IdLocation;
  readonly fingerprint: FingerprintOptions<Buffer, [delivery: ReceivedWebhook]>;
  readonly verify: Verify | 'already-verified';
  readonly parse: (body: string) => unknown;
  readonly handler: AnyWebhookHandler<R>;
}

/** What the caller may know of a delivery beyond the delivery. */
export interface DeliveryLimits {
  readonly signal?: AbortSignal | undefined;
  readonly waitMs?: number | undefined;
}

export interface Processed<R> {
  readonly id: string | undefined;
  readonly type: WebhookEventType;
  readonly verdict: Verdict<WebhookReason>;
  /** Undefined when the delivery was refused, or the store could not be asked. */
  readonly outcome?: Outcome<R>;
}

/** Verifies a delivery, finds its id, and handles it once. It never throws. */
export async function processDelivery<R>(
  processor: Processor<R>,
  delivery: ReceivedWebhook,
  limits: DeliveryLimits,
): Promise<Processed<R>> {
  const { name, kernel, location, verify, parse, handler, fingerprint } = processor;
  let id: string;
  try {
    await checkSignature(verify, delivery);
    id = deliveryIdAt(location, delivery);
  } catch (error) {
    const reason = refusalReason(error);
    return { id: undefined, type: reason, verdict: { acknowledge: false, key: '', reason, error } };
  }
  const { headers, body } = delivery;
  const compared = copyOf(delivery);
  const { handled, ...verdict } = await deliver(kernel, {
    ...limits,
    key: () => id,
    content: () => compared.body,
    fingerprint,
    message: compared,
    parse: () => parse(body.toString()),
    handler: (payload, attempt, ...extra) =>
      handler(payload as never, Object.assign(attempt, { headers }), ...(extra as never[])),
    source: () => ({ destination: name, header: (header) => headers[header.toLowerCase()] }),
    // To repeat what failed permanently would only replay the failure.
    onFailed: 'acknowledge',
    emit: () => undefined,
  });
  const type = 'replayed' in handled && handled.replayed ? 'replayed' : endingOf(handled);
  return { id, type, verdict, ...(handled.state === 'refused' ? {} : { outcome: handled }) };
}

/** Throws `UnverifiedError`, and the `VerifyConfigError` that `verify` threw. */
async function checkSignature(verify: Verify | 'already-verified', delivery: ReceivedWebhook): Promise<void> {
  if (verify === 'already-verified') return;
  let verified: unknown;
  try {
    verified = await verify(copyOf(delivery));
  } catch (error) {
    if (error instanceof VerifyConfigError) throw error;
    throw new UnverifiedError(
      `the delivery is not verified: verify threw (${nameOfThrown(error)}). If verify is at fault and not the ` +
        'signature, correct verify, or have it throw a VerifyConfigError',
      causeOf(error),
    );
  }
  if (verified !== true) {
    throw new UnverifiedError('the delivery is not verified: verify did not return true');
  }
}
