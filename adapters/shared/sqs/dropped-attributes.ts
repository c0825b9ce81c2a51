import { type EventSink, warn, type Warning } from '../../../src/adapter-kit.ts';

export type DroppedAttributesWarning = Warning<'DEAD_LETTER_ATTRIBUTES_DROPPED'>;

/** Warns of the first dead letter that lacks some of our attributes; the events name them for each. */
export function createDroppedAttributesWarning(
  events: Pick<EventSink<DroppedAttributesWarning & { readonly type: 'warning' }>, 'emit'>,
): (dropped: readonly string[]) => void {
  let warned = false;
  return (dropped) => {
    if (warned || dropped.length === 0) return;
    warned = true;
    const message =
      `a dead letter was sent without ${dropped.join(', ')}: with the body and attributes of its original it would ` +
      'exceed 10 attributes, or the size that the dead-letter queue takes. The record has its scope, key and error';
    warn({ warning: 'DEAD_LETTER_ATTRIBUTES_DROPPED', message }, events);
  };
}
