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
  /**
   * Where a partition begins, by default at its end. `'beginning'` is for retry topics, and is tried until it succeeds: a
   * copy there is all that is left of its message.
   */
  readonly from?: 'beginning' | undefined;
}

const LOOK_EVERY_MS = 200;
const AGAIN_AFTER_MS = 1_000;
export const NOT_COMMITTED = '-1';

/**
 * Commits where each partition begins of which the group has committed nothing, before anything of it is handed over.
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
  if (places.length === 0) return;
  const resumes = places.map((place) => options.pauses.hold(place));
  let fault = await faultOfHolding(places, generation, options);
  if (fault !== undefined) {
    warn({ warning: 'START_NOT_COMMITTED', message: `${NOT_HELD} (${fault})` }, options.events);
  }
  while (fault !== undefined && options.from === 'beginning' && !generation.over.aborted) {
    await sleep(AGAIN_AFTER_MS, undefined, { ref: false });
    fault = await faultOfHolding(places, generation, options);
  }
  for (const resume of resumes) resume();
}

/** Tries until all is committed, or the group meets again. Returns why it cannot. */
async function faultOfHolding(
  places: readonly Place[],
  generation: Generation,
  options: StartOptions,
): Promise<string | undefined> {
  try {
    const found = await uncommitted(places, options);
    // Found once: what comes after it must not be passed by a second try.
    const starts = await startsOf(found, options);
    let open = found.filter((place) => starts.has(idOf(place)));
    while (open.length > 0 && !generation.over.aborted) {
      await startAt(starts, open, generation, options);
      open = await uncommitted(open, options);
      // The client commits nothing before its first fetch.
      if (open.length > 0) await sleep(LOOK_EVERY_MS, undefined, { ref: false });
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown error';
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

type Starts = ReadonlyMap<string, bigint>;

async function startsOf(places: readonly Place[], { admin, from }: StartOptions): Promise<Starts> {
  const starts = new Map<string, bigint>();
  for (const topic of topicsOf(places)) {
    for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
      starts.set(idOf({ topic, partition }), BigInt(from === 'beginning' ? low : high));
    }
  }
  return starts;
}

async function startAt(
  starts: Starts,
  places: readonly Place[],
  generation: Generation,
  { client }: StartOptions,
): Promise<void> {
  for (const place of places) {
    const start = starts.get(idOf(place));
    // Another member may have the partition now, and have committed more.
    if (start !== undefined && !generation.over.aborted) await client.startAt(place, start);
  }
}

function topicsOf(places: readonly Place[]): string[] {
  return [...new Set(places.map(({ topic }) => topic))];
}

function idOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`;
}
