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
    let open = await uncommitted(places, options);
    while (open.length > 0 && !generation.over.aborted) {
      await startAtEnd(open, generation, options);
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
  const topics = [...new Set(places.map(({ topic }) => topic))];
  const committed = await admin.fetchOffsets({ groupId, topics });
  const open = new Set(
    committed.flatMap(({ topic, partitions }) =>
      partitions
        .filter(({ offset }) => offset === NOT_COMMITTED)
        .map(({ partition }) => `${topic}/${partition}`),
    ),
  );
  return places.filter(({ topic, partition }) => open.has(`${topic}/${partition}`));
}

async function startAtEnd(
  places: readonly Place[],
  generation: Generation,
  { admin, client }: StartOptions,
): Promise<void> {
  for (const topic of new Set(places.map((place) => place.topic))) {
    const ends = new Map((await admin.fetchTopicOffsets(topic)).map((end) => [end.partition, end.high]));
    for (const place of places.filter((one) => one.topic === topic)) {
      const end = ends.get(place.partition);
      // Another member may have the partition now, and have committed more.
      if (end !== undefined && !generation.over.aborted) await client.startAt(place, BigInt(end));
    }
  }
}
