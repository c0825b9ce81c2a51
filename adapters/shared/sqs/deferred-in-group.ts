import { type EventSink, printable, type Verdict } from '../../../src/adapter-kit.ts';
import { type WarningEvent, warn } from '../warn.ts';

export type DeferredInGroup = WarningEvent<'DEFERRED_IN_GROUP'>;

/** Looks at what became of messages of FIFO queues, and warns of the first that was deferred. */
export function createDeferredCheck(events: Pick<EventSink<DeferredInGroup>, 'emit'>) {
  let isWarned = false;
  return (queue: string, verdict: Verdict): void => {
    if (isWarned || verdict.acknowledge || verdict.reason !== 'deferred') return;
    isWarned = true;
    warn({ warning: 'DEFERRED_IN_GROUP', message: messageOf(queue, verdict.key) }, events);
  };
}

function messageOf(queue: string, key: string): string {
  return (
    `a handler has deferred message ${printable(key)} of the FIFO queue ${queue}: until it runs, each of its ` +
    'deliveries also brings the later messages of its group, which do not run but use up a receive. A redrive ' +
    'policy moves them after maxReceiveCount receives: raise that, defer for longer at a time, or use a standard ' +
    'queue'
  );
}
