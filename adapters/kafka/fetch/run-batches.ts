import { Batch } from '../../../src/adapter-kit.ts';
import type { BatchHandler } from '../../../src/index.ts';
import { seatedTurn, type Turn } from '../../shared/deliver-in-turn.ts';
import type { KafkaMessage } from '../log/log-client.ts';
import type { Ordering } from '../options/ordering.ts';

/** Waits for room. Returns what gives it back. */
export type TakeSlot = () => Promise<() => void>;

export interface Batches {
  readonly handler: BatchHandler<never, never>;
  readonly size: number;
  readonly ordering: Ordering;
  readonly lanes: readonly (readonly KafkaMessage[])[];
  readonly mayStart: () => boolean;
  /** Whether no more batches may start. */
  readonly isEnded: () => boolean;
  readonly takeSlot: TakeSlot;
  /** Handles a message. Resolves with whether those behind it in its lane may run. */
  readonly handle: (message: KafkaMessage, turn: Turn, takeSlot: TakeSlot) => Promise<boolean>;
  /** The same for one that runs since an earlier fetch. Undefined for any other. */
  readonly join: (message: KafkaMessage) => Promise<boolean> | undefined;
}

/**
 * Runs the messages of a fetch in batches, cut in the order of the offsets: unordered all at once, else one after the
 * other. A lane ends, also for later batches, at the first message that is kept.
 *
 * A message that runs already is in no batch. Where there is an order, all others wait for it without a claim.
 */
export async function runBatches(
  messages: readonly KafkaMessage[],
  { handler, size, ordering, lanes, mayStart, isEnded, takeSlot, handle, join }: Batches,
): Promise<void> {
  const isOrdered = ordering !== 'unordered';
  const laneOf = new Map(lanes.flatMap((lane) => lane.map((message) => [message, lane] as const)));
  const ended = new Set<unknown>();

  async function settled(message: KafkaMessage, handling: Promise<boolean>): Promise<boolean> {
    const goesOn = await handling;
    if (!goesOn) ended.add(laneOf.get(message));
    return goesOn;
  }

  async function runBatch(members: readonly KafkaMessage[]): Promise<void> {
    const batch = new Batch(handler);
    const room = takeSlot();
    const takeShared: TakeSlot = async () => {
      await room;
      return () => undefined;
    };

    const running = members.map((message) =>
      batch.seat(laneOf.get(message), (seat) =>
        settled(message, handle(message, seatedTurn(seat, mayStart), takeShared)),
      ),
    );
    try {
      await Promise.all([batch.run(), ...running]);
    } finally {
      (await room)();
    }
  }

  const waiting: KafkaMessage[] = [];
  let taken = 0;
  function next(): readonly KafkaMessage[] {
    const members: KafkaMessage[] = [];
    for (; members.length < size && taken < waiting.length; taken += 1) {
      const message = waiting[taken] as KafkaMessage;
      if (!ended.has(laneOf.get(message))) members.push(message);
    }
    return members;
  }

  const all: Promise<unknown>[] = [];
  for (const message of messages) {
    const joined = join(message);
    if (joined === undefined) waiting.push(message);
    else all.push(settled(message, joined));
  }
  if (isOrdered) await Promise.all(all);
  for (let members = next(); members.length > 0 && !isEnded(); members = next()) {
    const batch = runBatch(members);
    all.push(batch);
    if (isOrdered) await batch;
  }
  await Promise.all(all);
}
