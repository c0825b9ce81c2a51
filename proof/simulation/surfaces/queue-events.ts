import type { SqsEvent } from '../../../adapters/sqs/index.ts';
import type { SqsConsumerEvent } from '../../../adapters/sqs/index.ts';
import type { Life } from '../time/life.ts';
import type { World } from '../world/world.ts';

/** Tells the world of what becomes of messages at a queue. */
export function queueEventTeller(world: World, life: Life): (event: SqsEvent | SqsConsumerEvent) => void {
  return (event) => {
    // What it replayed is told by the engine too.
    if (event.type === 'warning' || event.type === 'replayed') return;
    const name = event.type === 'kept' ? `kept: ${event.reason}` : event.type;
    const detail = event.type === 'queue-error' ? event.verb : '';
    world.tell({ type: 'event', life, name, of: event.messageId ?? '', detail });
  };
}
