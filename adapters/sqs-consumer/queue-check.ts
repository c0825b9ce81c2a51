import { type EventSink, queueFacts, queueWarnings, warn } from '../../src/adapter-kit.ts';
import type { HandleOnceSettings } from '../../src/index.ts';
import type { SqsConsumerEvent } from './events.ts';
import type { Queue } from './queue.ts';

/** Looks at the queue's own settings, and tells what of them will surprise. It never throws. */
export async function checkQueue(
  queue: Queue,
  settings: HandleOnceSettings,
  events: EventSink<SqsConsumerEvent>,
): Promise<void> {
  try {
    const facts = queueFacts(await queue.attributes());
    for (const warning of queueWarnings(facts, settings)) warn(warning, events);
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown error';
    const message = `the queue's attributes cannot be read (${name}): its settings were not checked`;
    warn({ warning: 'QUEUE_ATTRIBUTES_UNREADABLE', message }, events);
  }
}
