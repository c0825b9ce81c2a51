import type { Source } from './sources.ts';

/** Which imports which. Each place is named in it, also one that imports nothing. */
export type Arrows = ReadonlyMap<string, ReadonlySet<string>>;

/** The arrows between the folders of a folder. The files at its top are one place. */
export function arrowsBetween(folder: string, sources: readonly Source[]): Arrows {
  const placeOf = (path: string) =>
    path
      .slice(folder.length + 1)
      .split('/')
      .slice(0, -1)[0] ?? '.';
  const arrows = new Map<string, Set<string>>();
  for (const { path, imports } of sources) {
    const from = placeOf(path);
    const targets = arrows.get(from) ?? new Set();
    arrows.set(from, targets);
    for (const to of imports) {
      if (to.startsWith(`${folder}/`) && placeOf(to) !== from) targets.add(placeOf(to));
    }
  }
  return arrows;
}

export function arrowsBetweenFiles(sources: readonly Source[]): Arrows {
  return new Map(sources.map(({ path, imports }) => [path, new Set(imports)]));
}

/** The largest set of places of which each leads to each. None has fewer than two. */
export function largestCircle(arrows: Arrows): string[] {
  const reached = new Map([...arrows.keys()].map((place) => [place, reachedFrom(place, arrows)]));
  const circles = [...reached].map(([place, targets]) =>
    [...targets].filter((other) => reached.get(other)?.has(place)),
  );
  return circles.reduce((largest, circle) => (circle.length > largest.length ? circle : largest), []);
}

function reachedFrom(place: string, arrows: Arrows): Set<string> {
  const reached = new Set<string>();
  const visit = (from: string): void => {
    for (const to of arrows.get(from) ?? []) {
      if (reached.has(to)) continue;
      reached.add(to);
      visit(to);
    }
  };
  visit(place);
  return reached;
}

/** How many arrows lead up at the least, in whatever order the places lie above one another. */
export function fewestArrowsUp(arrows: Arrows): number {
  const places = largestCircle(arrows);
  const targets = places.map((place) => bits(places, arrows.get(place) ?? new Set()));
  // By the set of places that lie lowest: each further one lies on them, and leads up to all that are not yet placed.
  const fewest = [0];
  for (let placed = 1; placed < 2 ** places.length; placed += 1) {
    fewest[placed] = Math.min(
      ...places.flatMap((_, at) => {
        if ((placed & (1 << at)) === 0) return [];
        const ups = (targets[at] ?? 0) & ~placed;
        return [(fewest[placed & ~(1 << at)] ?? 0) + count(ups)];
      }),
    );
  }
  return fewest.at(-1) ?? 0;
}

function bits(places: readonly string[], chosen: ReadonlySet<string>): number {
  return places.reduce((sum, place, at) => sum | (chosen.has(place) ? 1 << at : 0), 0);
}

function count(set: number): number {
  return set.toString(2).replaceAll('0', '').length;
}
