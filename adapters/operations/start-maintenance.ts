import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { eventHook, NOT_AN_OBJECT, parseOptions, wholeNumber } from '../../src/options/parse-options.ts';
import { type Counts, createEventSink } from '../../src/reporting/event-sink.ts';
import { type Logger, loggerOption } from '../../src/reporting/logger.ts';
import type { Tally } from './census.ts';
import type { MaintenanceEvent } from './events.ts';
import { type Walked, walkOnce } from './maintain.ts';
import { isReportedFirst, maintenanceFields, type MaintenanceOptions, PURGED_UNREPORTED } from './options.ts';

/** Options of `startMaintenance`. */
export interface StartMaintenanceOptions extends MaintenanceOptions {
  /** Milliseconds between the end of a walk and the next, over all processes. Default 3,600,000: an hour. */
  readonly everyMs?: number | undefined;
  /** Gets every event. It cannot change what is done. */
  readonly onEvent?: ((event: MaintenanceEvent) => unknown) | undefined;
  /** For operational problems. Default: process warnings. */
  readonly logger?: Logger | undefined;
}

/** Maintenance that runs. */
export interface Maintenance {
  /** How often each type of event happened in this process. */
  counts(): Counts<MaintenanceEvent['type']>;
  /**
   * Resolves when nothing runs: at the latest a second after the current step, which takes milliseconds. A step without
   * an answer is given up after 3 s, with the event `maintenance-error`.
   */
  stop(): Promise<void>;
}

/** How often a process asks whether a walk is due, or was left by a process that died. */
const LOOK_EVERY_MS = 30_000;
const MAX_SCOPES = 10;

export const startOptions = lazily(() =>
  z
    .strictObject(
      {
        ...maintenanceFields(),
        everyMs: z._default(wholeNumber('milliseconds', 1_000, 2_592_000_000), 3_600_000),
        onEvent: eventHook<MaintenanceEvent>(),
        logger: loggerOption(),
      },
      NOT_AN_OBJECT,
    )
    .check(z.refine(isReportedFirst, PURGED_UNREPORTED)),
);

/**
 * Maintains the tables in the background: every hour one process, of all that call it, deletes what has expired and
 * counts the rest. It never throws, and does not keep the process alive.
 *
 * It does what `maintain` does, with the same options. What `maintain` would throw becomes the event
 * `maintenance-error`, and the walk is tried again. Throws `InvalidOptionsError`.
 *
 * @example
 * ```ts
 * import { startMaintenance } from 'handle-once/operations';
 *
 * const maintenance = startMaintenance({ sql });
 * process.once('SIGTERM', () => void maintenance.stop());
 * ```
 */
export function startMaintenance(options: StartMaintenanceOptions): Maintenance {
  const { everyMs, onEvent, logger, ...resolved } = parseOptions('startMaintenance', startOptions(), options);
  const events = createEventSink<MaintenanceEvent>({ onEvent, logger }, 'operations');
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let hasWarned = false;

  /** Each look finds the same tables. */
  function complainOnce(code: string, message: string): void {
    if (!hasWarned) events.complain(code, message);
    hasWarned = true;
  }

  async function look(): Promise<void> {
    try {
      const walked = await walkOnce(resolved, {
        isForced: false,
        restMs: everyMs,
        complain: complainOnce,
        signal: stopping.signal,
        mayGoOn: () => !stopping.signal.aborted,
      });
      if (walked?.end === 'finished') emitWalk(walked);
      if (walked?.historyError !== undefined) throw walked.historyError;
    } catch (error) {
      events.emit({ type: 'maintenance-error', error });
    }
  }

  function emitWalk({ figures, tally }: Walked): void {
    events.emit({ type: 'maintained', ...figures });
    if (figures.abandoned === 0) return;
    events.emit({ type: 'abandoned', abandoned: figures.abandoned, scopes: scopesOf(tally) });
  }

  function again(): void {
    if (stopping.signal.aborted) return;
    timer = setTimeout(begin, Math.min(everyMs, LOOK_EVERY_MS)).unref();
  }

  function begin(): void {
    running = look().then(again);
  }

  begin();
  return {
    counts: events.counts,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

function scopesOf(tally: Tally): string[] {
  return tally
    .counts()
    .filter(({ abandoned }) => abandoned > 0)
    .toSorted((one, other) => other.abandoned - one.abandoned)
    .slice(0, MAX_SCOPES)
    .map(({ scope }) => scope);
}
