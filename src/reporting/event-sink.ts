import { channel } from 'node:diagnostics_channel';
import { type EventError, toEventError } from './event-error.ts';
import { callSafely, createReporter } from './reporter.ts';
import type { Logger } from './logger.ts';
import { type ReportedEvent, rowOfAdapter, rowOfCore, rowOfOperations } from './table.ts';
import { describeThrown } from '../payload/stored-error.ts';

/** How often each type of event happened since the sink was made. A type that never happened is absent. */
export type Counts<Type extends string> = Readonly<Partial<Record<Type, number>>>;

/** An event as it is emitted: its error is whatever was thrown, and optional where the event's is. */
export type Emitted<Event> = Event extends { readonly error?: EventError }
  ? Omit<Event, 'error'> & { readonly [Name in keyof Event as Name & 'error']: unknown }
  : Event;

export type EventSink<Event extends { readonly type: string }> = ReturnType<typeof createEventSink<Event>>;

export interface SinkOptions<Event> {
  readonly onEvent?: ((event: Event) => unknown) | undefined;
  readonly logger?: Logger | undefined;
  /** Of events that have none themselves. */
  readonly scope?: string | undefined;
}

const ROWS = { core: rowOfCore, adapter: rowOfAdapter, operations: rowOfOperations };

/** Decides which rows of the table report the events, and the channel that publishes them. */
type EventSource = keyof typeof ROWS;

/**
 * Counts events, hands them to the user's hook, reports operational problems, and publishes each event on the channel
 * `handle-once:<source>` of `node:diagnostics_channel`.
 *
 * A hook that throws or rejects is reported: it must not decide what becomes of a message.
 */
export function createEventSink<Event extends { readonly type: string }>(
  { onEvent, logger, scope: ofSink }: SinkOptions<Event>,
  source: EventSource = 'adapter',
) {
  const counts: Partial<Record<Event['type'], number>> = {};
  const rowOf = ROWS[source];
  const reporter = createReporter({ logger, isObserved: onEvent !== undefined, rowOf });
  const { reportEvent } = reporter;
  /** In the scope of the sink unless another is given. */
  const complain = (code: string, message: string, scope = ofSink): void => {
    reporter.complain(code, message, scope);
  };
  const published = channel(`handle-once:${source}`);
  return {
    emit: (emitted: Emitted<Event>): void => {
      const event = withEventError<Event>(emitted);
      const type: Event['type'] = event.type;
      counts[type] = (counts[type] ?? 0) + 1;
      reportEvent(event);
      if (published.hasSubscribers) published.publish(event);
      if (onEvent === undefined) return;
      void callSafely(
        () => onEvent(event),
        (error) => {
          const { scope } = event as ReportedEvent;
          complain('ON_EVENT_FAILED', `onEvent failed on ${type}: ${describeThrown(error)}`, scope);
        },
      );
    },
    counts: (): Counts<Event['type']> => ({ ...counts }),
    complain,
  };
}

function withEventError<Event>(event: Emitted<Event>): Event {
  if (!hasError(event)) return event as Event;
  return { ...event, error: toEventError(event.error) } as Event;
}

function hasError(event: unknown): event is { readonly error: unknown } {
  return 'error' in (event as object);
}
