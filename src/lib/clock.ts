import { randomUUID } from 'node:crypto';

/** A timer that has been set. */
export interface Timer {
  /** Lets the process end while it waits. */
  unref(): unknown;
}

/**
 * Time and chance of one process.
 *
 * Code that waits, measures or draws random numbers uses the clock that it is given, so that the simulation can run
 * several processes in one and stop the clock of any. Never public: users cannot give one.
 */
export interface Clock {
  /** Monotonic milliseconds. They do not count the time that the machine was suspended. */
  monotonic(): number;
  /** Milliseconds since 1970, by the machine's wall clock, which can be set. */
  wall(): number;
  /** Calls back once. */
  setTimer(callback: () => void, milliseconds: number): Timer;
  /** Calls back again and again. */
  setRepeating(callback: () => void, milliseconds: number): Timer;
  /** Removes a timer of either kind. */
  clearTimer(timer: Timer | undefined): void;
  /** Calls back once input that has arrived is read. After a process was stopped, timers ring before that. */
  afterInput(callback: () => void): void;
  /** From 0, and below 1. */
  random(): number;
  uuid(): string;
}

/**
 * Later turns of the event loop take no time: fake timers, which a test sets once this module is loaded, must not stop
 * them.
 */
const nextTick = process.nextTick.bind(process);
const nextTurn = setImmediate;

/** The real process. Time functions are looked up at each call, so that fake timers replace all of them. */
export const systemClock: Clock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  setTimer: (callback, milliseconds) => setTimeout(callback, milliseconds),
  setRepeating: (callback, milliseconds) => setInterval(callback, milliseconds),
  clearTimer(timer) {
    clearTimeout(timer as NodeJS.Timeout | undefined);
  },
  afterInput(callback) {
    nextTurn(callback);
  },
  random: () => Math.random(),
  uuid: () => randomUUID(),
};

/**
 * Calls back in this turn of the event loop, after the callbacks of its promises. No time passes, so that no clock is
 * needed.
 */
export function atEndOfTurn(callback: () => void): void {
  nextTick(callback);
}
