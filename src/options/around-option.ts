import type { Around } from '../words/around.ts';
import { lazily } from '../lib/lazily.ts';
import { satisfying } from './parse-options.ts';

/** On a function that returns a hook. In place of the hook it would be called for each attempt, and fail. */
const RETURNS_AROUND = Symbol.for('handle-once.returns-around');

/** Has the option `around` refuse this function: what it returns is meant. */
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
