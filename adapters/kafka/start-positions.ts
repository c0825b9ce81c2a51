import { setTimeout as sleep } from 'node:timers/promises';
import { type EventSink, warn } from '../../src/adapter-kit.ts';
import type { Generation } from './assignments.ts';
import type { KafkaEvent } from './events.ts';
import type { KafkaAdmin } from './kafkajs-types.ts';
import type { Assignment, LogConsumer, Place } from './log-client.ts';
import type { Pauses } from './pauses.ts';

export interface StartOptions {
  readonly client: Pick<LogConsumer, 'startAt'>;
  readonly pauses: Pick<Pauses, 'hold'>;
  readonly admin: KafkaAdmin;
  readonly groupId: string;
  readonly events: EventSink<KafkaEvent>;
}

const LOOK_EVERY_MS = 200;
const NOT_COMMITTED = '-1';

/**
 * Commits the end of each partition of which the group has committed nothing, before anything of it is handed over.
 *
 * A consumer that begins at the end commits nothing on an idle partition. What is produced while it restarts would then
 * be before the end at which it begins again, and lost.
 */
export async function holdStartPositions(
  assignment: Assignment,
  generation: Generation,
  options: StartOptions,
): Promise<void> {
  const places = Object.entries(assignment).flatMap(([topic, partitions]) =>
    partitions.map((partition) => ({ topic, partition })),
  );
  const resumes = places.map((place) => options.pauses.hold(place));
  try {
    const found = await uncommitted(places, options);
    // Found once: what comes after it must not be passed by a second try.
    const ends = await endsOf(found, options);
    let open = found.filter((place) => ends.has(idOf(place)));
    while (open.length > 0 && !generation.over.aborted) {
      await startAt(ends, open, generation, options);
      open = await uncommitted(open, options);
      // The client commits nothing before its first fetch.
      if (open.length > 0) await sleep(LOOK_EVERY_MS, undefined, { ref: false });
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown error';
    warn({ warning: 'START_NOT_COMMITTED', message: `${NOT_HELD} (${why})` }, options.events);
  } finally {
    for (const resume of resumes) resume();
  }
}

const NOT_HELD =
  'where idle partitions begin could not be committed: what is produced while this consumer restarts can be skipped';

async function uncommitted(places: readonly Place[], { admin, groupId }: StartOptions): Promise<Place[]> {
  const committed = await admin.fetchOffsets({ groupId, topics: topicsOf(places) });
  const open = new Set(
    committed.flatMap(({ topic, partitions }) =>
      partitions
        .filter(({ offset }) => offset === NOT_COMMITTED)
        .map(({ partition }) => idOf({ topic, partition })),
    ),
  );
  return places.filter((place) => open.has(idOf(place)));
}

type Ends = ReadonlyMap<string, bigint>;

async function endsOf(places: readonly Place[], { admin }: StartOptions): Promise<Ends> {
  const ends = new Map<string, bigint>();
  for (const topic of topicsOf(places)) {
    for (const { partition, high } of await admin.fetchTopicOffsets(topic)) {
      ends.set(idOf({ topic, partition }), BigInt(high));
    }
  }
  return ends;
}

async function startAt(
  ends: Ends,
  places: readonly Place[],
  generation: Generation,
  { client }: StartOptions,
): Promise<void> {
  for (const place of places) {
    const end = ends.get(idOf(place));
    // Another member may have the partition now, and have committed more.
    if (end !== undefined && !generation.over.aborted) await client.startAt(place, end);
  }
}

function topicsOf(places: readonly Place[]): string[] {
  return [...new Set(places.map(({ topic }) => topic))];
}

function idOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`;
}
