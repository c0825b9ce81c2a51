import { count } from './words.ts';

const WIDTH = 240;
const HEIGHT = 40;

/** How often something happened in each span of time, as bars: a picture, and the same in words. */
export function chart(name: string, values: readonly number[], each: string) {
  const most = Math.max(...values);
  const total = values.reduce((sum, value) => sum + value, 0);
  const step = WIDTH / values.length;
  const words = `${name}: ${count(total)}, at most ${count(most)} in one ${each}`;
  return (
    <figure class={`chart ${name}`}>
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
    </figure>
  );
}
