import { createHandleOnce, type HandleOnceEvent, type Logger } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { expectTypeOf, test } from 'vitest';

const options = { store: createMemoryStore(), scope: 'billing' };

/** A log function as pino 9 and 10 declare it. */
interface PinoLog {
  <T>(obj: T, msg?: T extends string ? never : string, ...args: unknown[]): void;
  (msg: string, ...args: unknown[]): void;
}

interface Pino {
  level: string;
  fatal: PinoLog;
  error: PinoLog;
  warn: PinoLog;
  info: PinoLog;
  debug: PinoLog;
}

test('a logger is one of pino, the console, or anything with error and warn', () => {
  createHandleOnce({ ...options, logger: {} as Pino });
  createHandleOnce({ ...options, logger: console });
  createHandleOnce({ ...options, logger: undefined });
  createHandleOnce({ ...options, logger: { error: () => undefined, warn: () => undefined } });
  // @ts-expect-error -- warn is missing
  createHandleOnce({ ...options, logger: { error: () => undefined } });
  // @ts-expect-error -- the fields come first
  createHandleOnce({ ...options, logger: { error: (text: string) => text, warn: () => undefined } });
  expectTypeOf<Pino>().toExtend<Logger>();
});

test('an event that ends a call has its state, attempts and duration; any error is plain, with its original', () => {
  const onEvent = (event: HandleOnceEvent) => {
    if (event.type === 'replayed') expectTypeOf(event.state).toEqualTypeOf<'succeeded' | 'failed'>();
    if (event.type === 'released') expectTypeOf(event.durationMs).toBeNumber();
    if (event.type === 'store-error') expectTypeOf(event.attempts).toEqualTypeOf<number | undefined>();
    if (event.type === 'failed') expectTypeOf(event.error.message).toBeString();
    expectTypeOf(event.key).toBeString();
  };
  createHandleOnce({ ...options, onEvent });
});
