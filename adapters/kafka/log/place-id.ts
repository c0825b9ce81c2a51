import type { Place } from './log-client.ts';

/** A partition as the key of a map. */
export function idOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`;
}
