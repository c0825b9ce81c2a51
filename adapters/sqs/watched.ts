import type { Handler } from '../../src/index.ts';

/** What runs beside a handler. */
export interface Watcher {
  /** Called when the store has given us the message and its handler starts. */
  readonly onStart?: () => void;
  /** Called when the handler has ended, before that is on record. */
  readonly onHandled?: () => void;
}

/** The same handler, with calls at its start and its end. */
export function watched<R>(
  handler: Handler<unknown, unknown[], R>,
  { onStart, onHandled }: Watcher,
): Handler<unknown, unknown[], R> {
  return async function watchedHandler(payload, attempt, ...extra) {
    onStart?.();
    try {
      return await handler(payload, attempt, ...extra);
    } finally {
      onHandled?.();
    }
  };
}
