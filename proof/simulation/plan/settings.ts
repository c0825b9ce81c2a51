import type { Random } from '../time/random.ts';

/** What the workers of a seed are set to. */
export interface Settings {
  readonly workers: number;
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly maxAttempts: number;
  readonly maxDeaths: number;
  /** Milliseconds of backoff for each failure so far. */
  readonly backoffMs: number;
  readonly retentionMs: number;
  readonly timeoutMs: number | undefined;
  readonly batching: boolean;
  /** Whether each handler runs in a transaction that has its record too. */
  readonly inTransaction: boolean;
  /** Of the pool that engine and handlers share. Undefined: there are always enough. */
  readonly connections: number | undefined;
  /** Whether a handler outside of a transaction keeps one of them while it runs. */
  readonly handlersHold: boolean;
  /** Whether the queue keeps the order of groups. */
  readonly isFifo: boolean;
  readonly onFailed: 'keep' | 'acknowledge' | 'dead-letter';
  /** Of the redrive policy. Undefined: the queue has none. */
  readonly maxReceiveCount: number | undefined;
  /** Of the queue itself. */
  readonly queueVisibilitySeconds: number;
  readonly visibilityTimeoutSeconds: number | undefined;
  readonly waitTimeSeconds: number;
  readonly drainMs: number;
  /** Whether handlers are told to stop without a deployment, too. */
  readonly interrupts: boolean;
  /** Whether handlers do their effects in steps. */
  readonly steps: boolean;
}

/** What may stay in a queue when it has failed, or is refused, holds up its group there: the queue has to move it. */
export function onFifo(settings: Settings): Settings {
  const { onFailed, maxReceiveCount } = settings;
  return {
    ...settings,
    isFifo: true,
    maxReceiveCount: maxReceiveCount ?? (onFailed === 'dead-letter' ? undefined : 10),
  };
}

/** With less, a batch handler is refused. */
export function forBatches(settings: Settings): Settings {
  return {
    ...settings,
    maxDeaths: Math.max(3, settings.maxDeaths),
    maxAttempts: Math.max(2, settings.maxAttempts),
  };
}

/** Those of workers that a deployment of other settings has reached already. */
export function settingsBeside(settings: Settings, random: Random): Settings {
  const { leaseMs, maxAttempts, maxDeaths, timeoutMs, batching, visibilityTimeoutSeconds } =
    settingsOf(random);
  return {
    ...settings,
    ...{ maxDeaths, timeoutMs, batching, visibilityTimeoutSeconds },
    leaseMs: Math.min(leaseMs, settings.retentionMs),
    maxAttempts: settings.maxAttempts === Infinity ? Infinity : maxAttempts,
  };
}

const DAY_MS = 86_400_000;

export function settingsOf(random: Random): Settings {
  const leaseMs = random.whole(10, 50) * 100;
  const hasRedrive = random.chance(0.6);
  const onFailed = random.pick(['keep', 'acknowledge', 'dead-letter'] as const);
  // What stays in the queue when it has failed would run again at the end of each retention, without end.
  const mayExpire = hasRedrive || onFailed !== 'keep';
  return {
    workers: random.whole(2, 4),
    concurrency: random.whole(1, 5),
    leaseMs,
    maxAttempts: random.whole(1, 5),
    maxDeaths: random.whole(1, 4),
    backoffMs: random.whole(1, 10) * 100,
    retentionMs: mayExpire && random.chance(0.3) ? leaseMs * random.whole(1, 4) : 7 * DAY_MS,
    timeoutMs: random.chance(0.3) ? leaseMs * random.whole(1, 3) : undefined,
    batching: random.chance(0.8),
    inTransaction: false,
    connections: undefined,
    handlersHold: false,
    isFifo: false,
    onFailed,
    maxReceiveCount: hasRedrive ? random.whole(3, 30) : undefined,
    queueVisibilitySeconds: random.whole(1, 20),
    visibilityTimeoutSeconds: random.chance(0.5)
      ? Math.floor(leaseMs / 1_000) + random.whole(1, 8)
      : undefined,
    waitTimeSeconds: random.pick([2, 10, 20]),
    drainMs: random.pick([0, 500, 5_000]),
    interrupts: false,
    steps: false,
  };
}
