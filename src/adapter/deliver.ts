import { fingerprintOptionsFor } from '../options/fingerprint-options.ts';
import { deadLetterFacts } from './dead-letter.ts';
import { decide } from './decide.ts';
import type { Handled } from '../words/endings.ts';
import type { Outcome } from '../words/outcome.ts';
import type { Kernel } from './kernel.ts';
import type { Delivery } from './delivery.ts';
import { foundKey } from './found-key.ts';
import type { Verdict } from './verdict.ts';

/** What has to be done at the broker, and how the delivery was handled. */
export type Delivered<R> = Verdict & { readonly handled: Handled<R> };

/** Handles a delivery once, and sends the dead letter that it asks for. It never throws. */
export async function deliver<R>(kernel: Kernel, delivery: Delivery<R>): Promise<Delivered<R>> {
  const { settings, schema = settings.schema } = kernel;
  const { fingerprint, message, content, parse, handler, mayStart, signal, waitMs, source, seat, emit } =
    delivery;
  let key = '';
  const handled = await kernel.handle(() => {
    key = foundKey(delivery.key);
    return {
      ...fingerprintOptionsFor(fingerprint, message as never),
      ...{ key, content: content(), parse, schema, handler, mayStart, signal, waitMs, source, seat },
    };
  });
  if ('replayed' in handled && handled.replayed) emit({ type: 'replayed', key, state: handled.state });
  return { handled, ...(await verdictOf(kernel, delivery, key, handled)) };
}

/** How a delivery was handled, for its caller: the outcome, and what was thrown or refused the dead letter. */
export function handledFacts<R>({ handled, ...verdict }: Delivered<R>): {
  readonly outcome?: Outcome<R>;
  readonly error?: unknown;
} {
  const facts = handled.state === 'refused' ? { error: handled.error } : { outcome: handled };
  return verdict.acknowledge || verdict.error === undefined ? facts : { ...facts, error: verdict.error };
}

async function verdictOf(
  { settings }: Kernel,
  { onFailed, emit }: Delivery<unknown>,
  key: string,
  handled: Handled<unknown>,
): Promise<Verdict> {
  const decision = decide(handled, onFailed);
  if (decision.action === 'acknowledge') return { acknowledge: true, key, deadLettered: false };
  const { reason } = decision;
  const error = handled.state === 'refused' ? { error: handled.error } : {};
  if (decision.action === 'keep') {
    return { acknowledge: false, key, reason, retryAfterMs: decision.retryAfterMs, ...error };
  }
  const { to, send, mayBeSent } = decision.destination;
  if (mayBeSent?.(decision.reason) === false) return { acknowledge: false, key, reason, ...error };
  try {
    const sent = await send(deadLetterFacts(settings.scope, key, handled));
    emit({ type: 'dead-lettered', key, to, reason: decision.reason, ...error, ...sent });
    return { acknowledge: true, key, deadLettered: true };
  } catch (refusal) {
    emit({ type: 'dead-letter-error', key, to, error: refusal });
    return { acknowledge: false, key, reason: 'dead-letter-refused', error: refusal };
  }
}
