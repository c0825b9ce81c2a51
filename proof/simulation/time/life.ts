import type { Clock, Timer } from '../../../src/lib/clock.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

/** From one moment to another, in milliseconds of the world. */
export interface Interval {
  readonly from: number;
  /** Infinite while it lasts. */
  readonly to: number;
}

/** A time in which calls to the store did not go well. */
export interface Trouble extends Interval {
  readonly verb: 'claim' | 'settle' | 'extend' | 'keep' | 'transaction';
  /** The tokens of the claims whose calls they were. Undefined: of a transaction that no handler runs in yet. */
  readonly tokens: readonly string[] | undefined;
}

/** In which order an event loop goes on after a standstill: the code that was stopped, timers, replies, the rest. */
const PHASES = { code: 0, timer: 1, input: 2, after: 3 } as const;

interface Waiting {
  readonly phase: (typeof PHASES)[keyof typeof PHASES];
  readonly due: number;
  readonly run: () => void;
}

class LifeTimer implements Timer {
  isCleared = false;

  unref(): this {
    return this;
  }
}

/** After everything else that is due at a moment. */
const LAST = 2;

/** By the calendar. */
const BEGAN_AT = Date.UTC(2030, 0);

/** How far the wall clock of a machine is off: years, in either direction. */
const MOST_SKEW_MS = 300_000_000_000;

/**
 * One life of a worker process, from its start to its death, with its own clock.
 *
 * It can be frozen: what comes due meanwhile waits, and then happens in the order of Node's event loop. While its
 * machine is suspended its monotonic clock stops too, and its wall clock goes on; while that is paused both
 * stop.
 */
export class Life {
  readonly id: string;
  readonly worker: string;
  readonly clock: Clock;
  /** Hexadecimal, as tokens begin with it. */
  readonly workerId: string;
  readonly startedAt: number;
  readonly standstills: Interval[] = [];
  readonly troubles: Trouble[] = [];
  /** When its wall clock was set. */
  readonly clockChanges: number[] = [];
  /** Whether a deployment has told it to stop. */
  isStopping = false;
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  #skewMs: number;
  #suspendedMs = 0;
  #pausedMs = 0;
  #diedAt: number | undefined;
  /** Why it is frozen: it goes on when there is no reason left. */
  #stops = 0;
  #backlog: Waiting[] = [];

  constructor(worker: string, id: string, scheduler: Scheduler, random: Random, isClockWrong: boolean) {
    this.worker = worker;
    this.id = id;
    this.#scheduler = scheduler;
    this.#random = random;
    this.#skewMs = isClockWrong ? random.between(-MOST_SKEW_MS, MOST_SKEW_MS) : 0;
    this.startedAt = scheduler.now();
    this.workerId = random.uuid().slice(0, 8);
    this.clock = this.#makeClock();
  }

  get diedAt(): number | undefined {
    return this.#diedAt;
  }

  get isAlive(): boolean {
    return this.#diedAt === undefined;
  }

  get standsStill(): boolean {
    return this.#stops > 0;
  }

  /** From now on nothing happens in it. */
  die(): void {
    this.#diedAt ??= this.#scheduler.now();
  }

  /** Something from outside reaches it, such as a reply. */
  arrive(afterMs: number, run: () => void): void {
    this.#when(PHASES.input, afterMs, run);
  }

  /** As SIGSTOP and SIGCONT. */
  standStill(milliseconds: number): void {
    this.#stop(milliseconds, false);
  }

  /** The same, called by what runs in it: that goes on before any timer rings. */
  standStillHere(milliseconds: number): Promise<void> {
    this.standStill(milliseconds);
    return new Promise((resolve) => {
      this.#backlog.push({ phase: PHASES.code, due: this.#scheduler.now(), run: resolve });
    });
  }

  /** As a laptop that is closed, or a virtual machine that is moved. */
  suspend(milliseconds: number): void {
    this.#stop(milliseconds, true);
  }

  /** As a virtual machine whose clocks both stop until it goes on. */
  pause(milliseconds: number): void {
    if (this.standsStill) return;
    const goOn = this.freeze(true);
    this.#scheduler.after(milliseconds, () => {
      this.#pausedMs += milliseconds;
      goOn();
    });
  }

  /** Milliseconds of its life, as far as one of its clocks shows them. */
  shownMs(): number {
    return this.#scheduler.now() - this.startedAt - this.#pausedMs;
  }

  setWallClock(byMs: number): void {
    this.#skewMs += byMs;
    this.clockChanges.push(this.#scheduler.now());
  }

  /** Stops it until what is returned is called. */
  freeze(isSuspended: boolean): () => void {
    const from = this.#scheduler.now();
    const standstill = { from, to: Infinity };
    this.#stops += 1;
    this.standstills.push(standstill);
    return () => {
      standstill.to = this.#scheduler.now();
      if (isSuspended) this.#suspendedMs += standstill.to - from;
      this.#stops -= 1;
      if (this.#stops === 0) this.#goOn();
    };
  }

  #stop(milliseconds: number, isSuspended: boolean): void {
    if (this.standsStill) return;
    this.#scheduler.after(milliseconds, this.freeze(isSuspended));
  }

  #goOn(): void {
    const backlog = this.#backlog.sort((one, other) => one.phase - other.phase || one.due - other.due);
    this.#backlog = [];
    backlog.forEach((waiting, index) => {
      this.#scheduler.after(
        0,
        () => {
          this.#happen(waiting);
        },
        index - backlog.length,
      );
    });
  }

  #when(phase: Waiting['phase'], afterMs: number, run: () => void, order?: number): void {
    if (!this.isAlive) return;
    const waiting = { phase, due: this.#scheduler.now() + afterMs, run };
    this.#scheduler.after(
      afterMs,
      () => {
        this.#happen(waiting);
      },
      order,
    );
  }

  #happen(waiting: Waiting): void {
    if (!this.isAlive) return;
    if (this.standsStill) this.#backlog.push(waiting);
    else waiting.run();
  }

  #monotonic(): number {
    return this.#scheduler.now() - this.startedAt - this.#suspendedMs;
  }

  /** Rings at a time of the monotonic clock, which may have stopped since. */
  #ringAt(dueMs: number, timer: LifeTimer, ring: () => void): void {
    const leftMs = dueMs - this.#monotonic();
    // Node rings a little late.
    this.#when(PHASES.timer, Math.max(0, leftMs) + this.#random.next(), () => {
      if (timer.isCleared) return;
      if (this.#monotonic() < dueMs) this.#ringAt(dueMs, timer, ring);
      else ring();
    });
  }

  #makeClock(): Clock {
    const setTimer = (callback: () => void, milliseconds: number): Timer => {
      const timer = new LifeTimer();
      this.#ringAt(this.#monotonic() + Math.max(1, milliseconds), timer, callback);
      return timer;
    };
    const setRepeating = (callback: () => void, milliseconds: number): Timer => {
      const timer = new LifeTimer();
      const ring = (): void => {
        this.#ringAt(this.#monotonic() + milliseconds, timer, ring);
        callback();
      };
      this.#ringAt(this.#monotonic() + milliseconds, timer, ring);
      return timer;
    };
    return {
      monotonic: () => this.#monotonic(),
      wall: () => BEGAN_AT + this.#scheduler.now() - this.#pausedMs + this.#skewMs,
      setTimer,
      setRepeating,
      clearTimer(timer) {
        if (timer instanceof LifeTimer) timer.isCleared = true;
      },
      afterInput: (callback) => {
        this.#when(PHASES.after, 0, callback, LAST);
      },
      random: () => this.#random.next(),
      uuid: () => this.#random.uuid(),
    };
  }
}
