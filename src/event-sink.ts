import { describeThrown } from './stored-error.ts';

/** How often each type of event happened since the sink was made. A type that never happened is absent. */
export type Counts<Type extends string> = Readonly<Partial<Record<Type, number>>>;

/** Counts events and hands them to the user's hook. */
export interface EventSink<Event extends { readonly type: string }> {
  readonly emit: (event: Event) => void;
  readonly counts: () => Counts<Event['type']>;
}

/** A hook that throws or rejects is reported as a process warning: it must not decide what becomes of a message. */
export function createEventSink<Event extends { readonly type: string }>(
  onEvent: ((event: Event) => unknown) | undefined,
): EventSink<Event> {
  const counts: Partial<Record<Event['type'], number>> = {};
  return {
    emit(event) {
      const type: Event['type'] = event.type;
      counts[type] = (counts[type] ?? 0) + 1;
      if (onEvent !== undefined) void callHook(onEvent, event);
    },
    counts: () => ({ ...counts }),
  };
}

async function callHook<Event extends { readonly type: string }>(
  onEvent: (event: Event) => unknown,
  event: Event,
): Promise<void> {
  try {
    await onEvent(event);
  } catch (error) {
    process.emitWarning(`onEvent failed on ${event.type}: ${describeThrown(error)}`, 'HandleOnceWarning');
  }
}
