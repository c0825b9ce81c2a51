import type { TopicConfigs } from '../../shared/kafka/topic-retention.ts';

/** What this adapter asks an admin client of any library. */
export interface LogAdmin extends Partial<TopicConfigs> {
  /** The committed offsets of a group; -1 where it has committed none. */
  fetchOffsets(query: {
    groupId: string;
    topics: string[];
  }): Promise<readonly { readonly topic: string; readonly partitions: readonly PartitionOffset[] }[]>;
  /** Where the partitions of a topic end. */
  fetchTopicOffsets(
    topic: string,
  ): Promise<readonly (PartitionOffset & { readonly high: string; readonly low: string })[]>;
  /** Needed only with `retry`. */
  describeGroups?(groupIds: string[]): Promise<{ readonly groups: readonly GroupDescription[] }>;
}

export interface PartitionOffset {
  readonly partition: number;
  readonly offset: string;
  /** The text that was committed with the offset. */
  readonly metadata?: string | null;
}

/** What the coordinator knows about a group. */
export interface GroupDescription {
  readonly state: string;
  readonly members: readonly GroupMember[];
}

/** What a member sent when it joined, as bytes, or the topics that are known to be its. */
export type GroupMember = { readonly memberMetadata: Buffer } | { readonly topics: readonly string[] };

/** Not every client can read the settings of topics. */
export function readsConfigs<Admin extends LogAdmin>(admin: Admin): admin is Admin & TopicConfigs {
  return admin.describeConfigs !== undefined;
}
