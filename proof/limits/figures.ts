/** What a load has shown. */
export interface Figures {
  readonly calls: number;
  /** How often the handler ran. */
  readonly runs: number;
  /** Calls that did not end as they had to. */
  readonly wrong: number;
  readonly seconds: number;
  /** Milliseconds of a call beside its handler: the median, the 99th percentile, the longest. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  /** MiB of resident memory: before, at most, and after a garbage collection where Node was started with one. */
  readonly memory: readonly [before: number, most: number, after: number];
}

const MIB = 1_048_576;
const LOOK_EVERY_MS = 100;

const resident = (): number => Math.round(process.memoryUsage.rss() / MIB);

/** Measures a load, which tells of each call how long it took. */
export async function measured(
  load: (note: (milliseconds: number, isRight: boolean) => void) => Promise<{ readonly runs: number }>,
): Promise<Figures> {
  globalThis.gc?.();
  const before = resident();
  let most = before;
  const looks = setInterval(() => {
    most = Math.max(most, resident());
  }, LOOK_EVERY_MS);
  const times: number[] = [];
  let wrong = 0;
  const startedAt = performance.now();
  try {
    const { runs } = await load((milliseconds, isRight) => {
      times.push(milliseconds);
      if (!isRight) wrong += 1;
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    most = Math.max(most, resident());
    times.sort((a, b) => a - b);
    const at = (share: number): number => times[Math.ceil(times.length * share) - 1] ?? 0;
    globalThis.gc?.();
    const memory = [before, most, resident()] as const;
    const latencies = { p50: at(0.5), p99: at(0.99), longest: at(1) };
    return { calls: times.length, runs, wrong, seconds, ...latencies, memory };
  } finally {
    clearInterval(looks);
  }
}
