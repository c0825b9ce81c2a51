import type { NativeTopic } from './native.ts';

/** A member, as it has joined. */
interface Subscriber {
  readonly topics?: readonly string[] | undefined;
}

/** What a member is given. */
interface Share {
  readonly memberId: string;
  readonly assignments: Map<string, NativeTopic>;
}

interface Metadata {
  readonly topics: ReadonlyMap<string, { readonly partitionsCount: number }>;
}

/**
 * What the leader of a group gives to its members: each partition goes to the subscriber of its topic that has the
 * fewest. The client's own assigner gives partitions of the leader's topics to all members.
 */
export function assignEvenly(
  _leaderId: string,
  members: ReadonlyMap<string, Subscriber>,
  _leadersTopics: unknown,
  { topics }: Metadata,
): Share[] {
  const shares = [...members].map(([memberId, { topics: own = [] }]) => ({
    ...{ memberId, own, count: 0 },
    assignments: new Map<string, NativeTopic>(),
  }));
  for (const [topic, { partitionsCount }] of topics) {
    const subscribed = shares.filter(({ own }) => own.includes(topic));
    for (let partition = 0; partition < partitionsCount; partition += 1) {
      const fewest = Math.min(...subscribed.map(({ count }) => count));
      const share = subscribed.find(({ count }) => count === fewest);
      if (share === undefined) break;
      share.count += 1;
      const given = share.assignments.get(topic) ?? { topic, partitions: [] };
      share.assignments.set(topic, given);
      given.partitions.push(partition);
    }
  }
  return shares;
}
