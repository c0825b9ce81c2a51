import { setTimeout as sleep } from 'node:timers/promises';
import { type EventSink, warn } from '../../../src/adapter-kit.ts';
import type { Generation } from './assignments.ts';
import type { KafkaEvent } from '../events.ts';
import { askCommitted, askEnds } from '../client/ask-admin.ts';
import type { KafkaAdmin } from '../client/kafkajs-types.ts';
import type { Assignment, LogConsumer, Place } from '../client/log-client.ts';
import type { Pauses } from './pauses.ts';
import { idOf } from './place-id.ts';

export interface StartOptions {
  readonly client: Pick<LogConsumer, 'commit' | 'moveTo'>;
  readonly pauses: Pick<Pauses, 'hold'>;
  readonly admin: KafkaAdmin;
  readonly groupId: string;
  readonly events: EventSink<KafkaEvent>;
  /** Whether the user has moved a partition since it was assigned: then it begins there. */
  readonly isMovedByUser: (place: Place) => boolean;
  /**
   * Where a partition begins, by default at its end. `'beginning'` is for retry topics, and is tried until it succeeds:
   * a copy there is all that is left of its message.
   */
  readonly from?: 'beginning' | undefined;
}

const LOOK_EVERY_MS = 200;
const AGAIN_AFTER_MS = 1_000;
export const NOT_COMMITTED = '-1';

/** Where a partition is to begin, in place of what the group has committed. */
interface Start extends Place {
  readonly committed: string;
  readonly position: bigint;
}

/**
 * Commits where each partition begins of which the group has committed nothing, before anything of it is handed over.
 *
 * A consumer that begins at the end commits nothing on an idle partition. What is produced while it restarts would then
 * be before the end at which it begins again, and lost. A position that is not in the log any more counts as none: the
 * client would pass what is still there, so the partition begins with the oldest message that is left.
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
  if (fault !== undefined && !generation.over.aborted) {
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
    // Found once: what comes after it must not be passed by a second try.
    const starts = await startsOf(places, generation, options);
    let open = starts;
    while (open.length > 0 && !generation.over.aborted) {
      await commitAll(open, generation, options);
      const committed = await committedOf(open, generation, options);
      const isHeld = (start: Start) => committed.get(idOf(start)) === String(start.position);
      moveAll(open.filter(isHeld), generation, options);
      // What another member has committed meanwhile stands.
      open = open.filter(
        (start) => committed.get(idOf(start)) === start.committed && !options.isMovedByUser(start),
      );
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

type Committed = ReadonlyMap<string, string>;

async function committedOf(
  places: readonly Place[],
  { over }: Generation,
  { admin, groupId }: StartOptions,
): Promise<Committed> {
  const committed = await askCommitted(admin, groupId, topicsOf(places), () => over.aborted);
  return new Map(
    committed.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => [idOf({ topic, partition }), offset] as const),
    ),
  );
}

/** The partitions whose committed position cannot be read on from, and where each begins instead. */
async function startsOf(
  places: readonly Place[],
  generation: Generation,
  options: StartOptions,
): Promise<Start[]> {
  const committed = await committedOf(places, generation, options);
  const endsOf = (topic: string) => askEnds(options.admin, topic, () => generation.over.aborted);
  const starts: Start[] = [];
  for (const topic of topicsOf(places)) {
    for (const { partition, low, high } of await endsOf(topic)) {
      const place = { topic, partition };
      const known = committed.get(idOf(place));
      if (known === undefined || !places.some((one) => idOf(one) === idOf(place))) continue;
      const position = startOf(known, { low: BigInt(low), high: BigInt(high) }, options);
      if (position !== undefined) starts.push({ ...place, committed: known, position });
    }
  }
  return starts;
}

/** Undefined where the group goes on from what it has committed. */
function startOf(
  committed: string,
  { low, high }: { readonly low: bigint; readonly high: bigint },
  { from }: StartOptions,
): bigint | undefined {
  if (committed === NOT_COMMITTED) return from === 'beginning' ? low : high;
  const position = BigInt(committed);
  return position < low || position > high ? low : undefined;
}

async function commitAll(
  starts: readonly Start[],
  generation: Generation,
  { client, isMovedByUser }: StartOptions,
): Promise<void> {
  for (const start of starts) {
    // Another member may have the partition now, and have committed more.
    if (!generation.over.aborted && !isMovedByUser(start)) await client.commit(start, start.position);
  }
}

/**
 * Only once it is committed: a client that was frozen meanwhile would keep the move in mind until it has the partition
 * again, and then pass what others had in hand.
 */
function moveAll(
  starts: readonly Start[],
  generation: Generation,
  { client, events, isMovedByUser }: StartOptions,
): void {
  for (const start of starts) {
    if (generation.over.aborted || isMovedByUser(start)) continue;
    const { topic, partition, committed, position } = start;
    client.moveTo(start, position);
    if (committed === NOT_COMMITTED) continue;
    const offsets = { expected: committed, found: String(position) };
    events.emit({ type: 'log-changed', topic, partition, reason: 'position-moved', ...offsets });
  }
}

function topicsOf(places: readonly Place[]): string[] {
  return [...new Set(places.map(({ topic }) => topic))];
}
