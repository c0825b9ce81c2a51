/**
 * Shadow mode: handle-once beside a dedupe table of your own, which still decides. Import `withShadow` into your
 * consumer, and look at what it reports for a few days before you move over: docs/moving-over.md.
 */
import type { HandleOnce } from 'handle-once';

/** A consumer as it is: whether it has skipped the message as a duplicate. */
export type OldConsumer = (key: string, body: string) => Promise<'handled' | 'skipped'>;

/** What the two say of one delivery. */
export interface Difference {
  readonly key: string;
  readonly old: 'handled' | 'skipped';
  /** Or the name of an error, such as `PayloadMismatchError`. */
  readonly shadow: string;
}

/** `shadow` is in a scope of its own, such as `billing-shadow`: none of its records is for the real consumer. */
export function withShadow(
  old: OldConsumer,
  shadow: HandleOnce,
  onDifference: (difference: Difference) => void,
): OldConsumer {
  return async (key, body) => {
    const said = await old(key, body);
    const shown = await shadowOf(shadow, key, body);
    if (shown !== said) onDifference({ key, old: said, shadow: shown });
    return said;
  };
}

/** The handler is empty: what it would have done is done. An error of the shadow must not fail the message. */
async function shadowOf(shadow: HandleOnce, key: string, body: string): Promise<string> {
  try {
    const outcome = await shadow(key, body, () => undefined);
    if (outcome.state !== 'succeeded') return outcome.state;
    return outcome.replayed ? 'skipped' : 'handled';
  } catch (error) {
    return error instanceof Error ? error.name : 'error';
  }
}
