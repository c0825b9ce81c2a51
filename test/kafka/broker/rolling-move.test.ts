import { AssignerProtocol, type PartitionAssigner, PartitionAssigners } from 'kafkajs';
import { describe, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { numbered, upTo, useFixture } from './support/fixture.ts';
import { USABLE_CLIENTS } from './support/members/installed-clients.ts';

const { setup } = useFixture();

const OTHERS = USABLE_CLIENTS.filter((client) => client !== 'kafkajs');

/** Round robin under the name that the other clients know: docs/kafka-clients.md#one-member-at-a-time has it too. */
const roundRobin: PartitionAssigner = ({ cluster }) => ({
  name: 'roundrobin',
  version: 0,
  assign({ members, topics }) {
    const ids = members.map(({ memberId }) => memberId).toSorted();
    const shares = new Map<string, Record<string, number[]>>(ids.map((id) => [id, {}]));
    const places = topics.flatMap((topic) =>
      cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({ topic, partitionId })),
    );
    for (const [n, { topic, partitionId }] of places.entries()) {
      const share = shares.get(ids[n % ids.length] ?? '') ?? {};
      (share[topic] ??= []).push(partitionId);
    }
    return Promise.resolve(
      ids.map((memberId) => ({
        memberId,
        memberAssignment: AssignerProtocol.MemberAssignment.encode({
          version: 0,
          assignment: shares.get(memberId) ?? {},
          userData: Buffer.alloc(0),
        }),
      })),
    );
  },
  protocol: ({ topics }) => ({
    name: 'roundrobin',
    metadata: AssignerProtocol.MemberMetadata.encode({ version: 0, topics, userData: Buffer.alloc(0) }),
  }),
});

describe.runIf(OTHERS.length > 0)('A group with members of two clients', () => {
  test.each(
    OTHERS.flatMap((other) => [
      ['kafkajs', other],
      [other, 'kafkajs'],
    ]),
  )('whose first is of %s shares the partitions with %s', async (first, second) => {
    const group = await setup({ partitions: 4 });
    const runs: string[] = [];
    const handler = ({ partition, message }: { partition: number; message: { offset: string } }) => {
      runs.push(`${partition}-${message.offset}`);
    };
    // As members of kafkajs are, which can be beside members that have only the first.
    const config = { partitionAssigners: [PartitionAssigners.roundRobin, roundRobin] };
    const one = await group.start(handler, { client: first, config });
    for (const partition of upTo(4)) await group.produce(...numbered(20, partition));
    const other = await group.start(handler, { client: second, config });
    await until(() => Object.values(other.joins.at(-1) ?? {}).flat().length === 2);
    await until(() => Object.values(one.joins.at(-1) ?? {}).flat().length === 2);
    for (const partition of upTo(4)) await group.produce(...numbered(20, partition, 20));
    await group.caughtUp();
    expect(runs).toHaveLength(160);
    expect(new Set(runs).size).toBe(160);
  });
});
