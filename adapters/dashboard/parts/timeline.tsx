import type { EndedAttempt } from '../../operations/explain-record.ts';
import type { RecordView } from '../../operations/record.ts';
import { duration, moment } from './words.ts';

const WIDTH = 720;
const HEIGHT = 28;
const SHORTEST = 4;

interface Bar {
  readonly kind: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly words: string;
}

/** The attempts of a message on a line of time, each with its words. */
export function timeline(attempts: readonly EndedAttempt[], record: RecordView | undefined, now: Date) {
  const bars = [...attempts.map((attempt) => barOf(attempt, record)), ...lastBar(record, now)];
  if (bars.length === 0) return null;
  const fromMs = Math.min(...bars.map((bar) => bar.fromMs));
  const spanMs = Math.max(1, Math.max(...bars.map((bar) => bar.toMs)) - fromMs);
  const placeOf = (ms: number): number => ((ms - fromMs) / spanMs) * (WIDTH - SHORTEST);
  const allWords = bars.map(({ words }) => words).join('; ');
  return (
    <figure class="timeline">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={allWords}>
        <line x1={0} x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
        {bars.map(({ kind, words, ...bar }) => {
          const x = placeOf(bar.fromMs);
          return (
            <rect class={kind} x={x} y={4} width={placeOf(bar.toMs) - x + SHORTEST} height={HEIGHT - 8}>
              <title>{words}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        {moment(new Date(fromMs))}, {duration(spanMs)} in all
      </figcaption>
    </figure>
  );
}

/** A death is written down once another attempt has begun: it ended before that. */
function barOf({ attempt, ending, endedAt, tookMs = 0 }: EndedAttempt, record: RecordView | undefined): Bar {
  const isEarlier = record !== undefined && attempt < record.attempts;
  const toMs = Math.min(endedAt.getTime(), isEarlier ? record.beganAt.getTime() : Infinity);
  const took = tookMs === 0 ? '' : ` after ${duration(tookMs)}`;
  return { kind: ending, fromMs: toMs - tookMs, toMs, words: `attempt ${attempt}: ${ending}${took}` };
}

/** What the record says of its last attempt: while it runs, or once it has succeeded. */
function lastBar(record: RecordView | undefined, now: Date): Bar[] {
  if (record === undefined) return [];
  const { phase, state, attempts, beganAt } = record;
  const kind = phase === 'running' || phase === 'lapsed' ? phase : state;
  if (!['running', 'lapsed', 'succeeded'].includes(kind)) return [];
  const fromMs = beganAt.getTime();
  const toMs = kind === 'succeeded' ? fromMs : now.getTime();
  return [{ kind, fromMs, toMs, words: `attempt ${attempts}: ${kind}` }];
}
