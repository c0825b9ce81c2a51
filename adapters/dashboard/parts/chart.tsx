import { sumOf } from '../data/rates.ts';
import { clock, count } from './words.ts';

const WIDTH = 240;
const HEIGHT = 40;

/** How often something happened in equal spans of time until now, as bars: a picture, and the same in words. */
export function chart(name: string, values: readonly number[], eachMs: number, now: Date) {
  const most = Math.max(...values);
  const total = sumOf(values);
  const step = WIDTH / values.length;
  const since = new Date(now.getTime() - values.length * eachMs);
  const mostAt = new Date(since.getTime() + values.indexOf(most) * eachMs);
  const peak = most === 0 ? '' : `most ${count(most)} at ${clock(mostAt)}`;
  const words = `${name}: ${count(total)}, ${peak}`;
  return (
    <figure class={`chart ${name.replaceAll(' ', '-')}`}>
      <figcaption>
        {name} <b>{count(total)}</b>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words}>
        <title>{words}</title>
        <line x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        {values.map((value, place) => {
          const height = value === 0 ? 0 : Math.max(1, (value / most) * HEIGHT);
          return <rect x={place * step} y={HEIGHT - height} width={Math.max(1, step - 1)} height={height} />;
        })}
      </svg>
      <div class="axis">
        <span>{clock(since)}</span>
        <span>{peak}</span>
        <span>{clock(now)} UTC</span>
      </div>
    </figure>
  );
}
