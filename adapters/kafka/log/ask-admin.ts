import { setTimeout as sleep } from 'node:timers/promises';
import { isError } from '../../../src/adapter-kit.ts';
import type { LogAdmin, PartitionOffset } from './log-admin.ts';

/*
 * Questions to an admin client. kafkajs answers some before its metadata has the topic. An answer that lacks a
 * partition is thrown as an error: the whole one is to be had soon.
 */

const PATIENCE_MS = 10_000;
const AGAIN_AFTER_MS = 500;

interface PartitionEnds extends PartitionOffset {
  readonly low: string;
  readonly high: string;
}

/** What a group has committed in these partitions of a topic. */
export async function committedIn(
  admin: Pick<LogAdmin, 'fetchOffsets'>,
  groupId: string,
  topic: string,
  partitions: readonly number[],
): Promise<ReadonlyMap<number, PartitionOffset>> {
  const answer = await admin.fetchOffsets({ groupId, topics: [topic] });
  const offsets = answer.find((of) => of.topic === topic)?.partitions ?? [];
  checkComplete(topic, offsets, partitions);
  return new Map(offsets.map((one) => [one.partition, one]));
}

/** Where the partitions of a topic begin and end: all of them, and these among them. */
export async function endsOf(
  admin: Pick<LogAdmin, 'fetchTopicOffsets'>,
  topic: string,
  partitions: readonly number[] = [],
): Promise<readonly PartitionEnds[]> {
  const ends = await admin.fetchTopicOffsets(topic);
  checkComplete(topic, ends, partitions);
  return ends;
}

function checkComplete(topic: string, known: readonly PartitionOffset[], wanted: readonly number[]): void {
  const isKnown = (partition: number) => known.some((one) => one.partition === partition);
  if (known.length > 0 && wanted.every(isKnown)) return;
  throw new Error(`the admin client does not know all partitions of ${topic} yet`);
}

/**
 * Asks again for up to ten seconds, unless the error says that it stays. Undefined where nothing waits for the
 * answer any more. A broker that has just started loads its groups, and kafkajs asks again for consumers alone.
 */
export async function askPatiently<T>(ask: () => Promise<T>, isOver: () => boolean): Promise<T | undefined> {
  const until = performance.now() + PATIENCE_MS;
  while (!isOver()) {
    try {
      return await ask();
    } catch (error) {
      if (isFinal(error) || performance.now() >= until) throw error;
    }
    await sleep(AGAIN_AFTER_MS);
  }
  return undefined;
}

function isFinal(error: unknown): boolean {
  return isError(error) && 'retriable' in error && error.retriable === false;
}
