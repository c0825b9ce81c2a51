import type { Around } from '../words/around.ts';
import { lazily } from '../lib/lazily.ts';
import { satisfying } from './parse-options.ts';

/** Marks a function that returns a hook. Given as the hook it would be called for each attempt, and fail. */
const RETURNS_AROUND = Symbol.for('handle-once.returns-around');

/** Makes the option `around` refuse this function: users mean what it returns. */
export function markAsReturningAround(maker: object): void {
  Object.defineProperty(maker, RETURNS_AROUND, { value: true });
}

export const aroundOption = lazily(() => satisfying<Around>(isAround, expected));

function isAround(value: unknown): boolean {
  return typeof value === 'function' && !(RETURNS_AROUND in value);
}

function expected(refused: unknown): string {
  return typeof refused === 'function'
    ? 'the around that openTelemetry() returns, not openTelemetry itself: const { around } = openTelemetry()'
    : 'a function of (attempt, run), such as the around that openTelemetry() returns';
}
