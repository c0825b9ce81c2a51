import { deadLetterFacts } from './dead-letter.ts';
import { decide } from './decide.ts';
import type { Consumer } from './consumer.ts';
import type { Delivery } from './delivery.ts';
import { foundKey } from './found-key.ts';
import { type Handled, replayedState } from './handled.ts';
import type { Verdict } from './verdict.ts';

/** What its broker has to be told of a delivery, and how it was handled. */
export type Delivered<R> = Verdict & { readonly handled: Handled<R> };

/** Handles a delivery once, and sends the dead letter that it asks for. It never throws. */
export async function deliver<R>(consumer: Consumer, delivery: Delivery<R>): Promise<Delivered<R>> {
  const { key, handled } = await handle(consumer, delivery);
  const state = replayedState(handled);
  if (state !== undefined) delivery.emit({ type: 'replayed', key, state });
  return { handled, ...(await verdictOf(consumer, delivery, key, handled)) };
}

async function handle<R>(
  { settings, schema = settings.schema, handle: handleInEngine }: Consumer,
  { fingerprint, content, parse, handler, mayStart, signal, waitMs, source, key: findKey }: Delivery<R>,
): Promise<{ readonly key: string; readonly handled: Handled<R> }> {
  let key = '';
  try {
    key = foundKey(findKey);
    const outcome = await handleInEngine({
      ...fingerprint,
      key,
      content: content(),
      signal,
      waitMs,
      mayStart,
      source,
      parse,
      schema,
      handler,
    });
    return { key, handled: { outcome } };
  } catch (thrown) {
    return { key, handled: { thrown } };
  }
}

async function verdictOf(
  { settings }: Consumer,
  { onFailed, emit }: Delivery<unknown>,
  key: string,
  handled: Handled<unknown>,
): Promise<Verdict> {
  const decision = decide(handled, onFailed);
  if (decision.action === 'acknowledge') return { acknowledge: true, key, deadLettered: false };
  const { reason } = decision;
  const error = 'thrown' in handled ? { error: handled.thrown } : {};
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
