import { type Clock, type EventSink, isError } from '../../../src/adapter-kit.ts';
import { warn } from '../../shared/warn.ts';
import type { KafkaEvent } from '../log/events.ts';
import { type GroupMember, type LogAdmin, readsConfigs } from '../log/log-admin.ts';
import type { RetryTopic } from '../options/retry-options.ts';
import { TOPIC_RESOURCE } from '../../shared/kafka/topic-retention.ts';
import { NOT_COMMITTED } from '../log/start-of.ts';

/** An admin client that can describe a group. */
export type GroupAdmin = LogAdmin & Required<Pick<LogAdmin, 'describeGroups'>>;

export interface RetryConsumedOptions {
  readonly clock: Clock;
  readonly admin: GroupAdmin;
  readonly groupId: string;
  readonly events: EventSink<KafkaEvent>;
}

/** A group is not ready at once after a rebalance. */
const GRACE_MS = 5_000;

/**
 * Whether the group consumes a retry topic, so that no copy that is produced to it can be skipped.
 *
 * A topic is safe when each member of the group subscribes to it, and the group has committed a position in each of its
 * partitions: wherever a copy lands, some member reads on from before it. A member that changes its subscription makes
 * the group rebalance, so the answer holds until then.
 */
export function createRetryConsumed(options: RetryConsumedOptions) {
  const { clock, groupId, events } = options;
  /** Answers of this generation that are yes, or under way. */
  let answers = new Map<string, Promise<boolean>>();
  const unsafeSince = new Map<string, number>();
  const warned = new Set<string>();

  async function look(retryTopic: RetryTopic, current: Map<string, Promise<boolean>>): Promise<boolean> {
    const { topic } = retryTopic;
    const fault = await faultOf(retryTopic, options);
    if (fault === undefined) {
      unsafeSince.delete(topic);
      return true;
    }
    current.delete(topic);
    warnLate(topic, fault);
    return false;
  }

  function warnLate(topic: string, fault: string): void {
    const now = clock.monotonic();
    const since = unsafeSince.get(topic) ?? now;
    unsafeSince.set(topic, since);
    if (now - since < GRACE_MS || warned.has(topic)) return;
    warned.add(topic);
    const message =
      `group ${groupId} cannot retry messages in ${topic}: ${fault}. ` +
      'Until that is changed, its messages wait in their partitions';
    warn({ warning: 'RETRY_TOPIC_NOT_CONSUMED', message }, events);
  }

  return {
    isSafe(retryTopic: RetryTopic): Promise<boolean> {
      const { topic } = retryTopic;
      const answer = answers.get(topic) ?? look(retryTopic, answers);
      answers.set(topic, answer);
      return answer;
    },
    /** The group has rebalanced: earlier answers about it no longer count. */
    joined(): void {
      answers = new Map();
      unsafeSince.clear();
    },
  };
}

async function faultOf(retryTopic: RetryTopic, options: RetryConsumedOptions): Promise<string | undefined> {
  try {
    return (
      (await groupFault(retryTopic, options)) ??
      (await positionFault(retryTopic, options)) ??
      (await topicFault(retryTopic, options))
    );
  } catch (error) {
    return `the group or the topic cannot be read (${isError(error) ? error.name : 'unknown error'})`;
  }
}

async function groupFault({ topic }: RetryTopic, { admin, groupId }: RetryConsumedOptions) {
  const [group] = (await admin.describeGroups([groupId])).groups;
  if (group?.state !== 'Stable') return 'the group rebalances';
  const subscribes = (member: GroupMember) =>
    ('topics' in member ? member.topics : subscriptionOf(member.memberMetadata)).includes(topic);
  return group.members.every(subscribes)
    ? undefined
    : 'not every member of the group subscribes to it; subscribe each of them to all retry topics';
}

async function positionFault({ topic }: RetryTopic, { admin, groupId }: RetryConsumedOptions) {
  const partitions = (await admin.fetchOffsets({ groupId, topics: [topic] })).flatMap((of) => of.partitions);
  const isHeld = partitions.length > 0 && partitions.every(({ offset }) => offset !== NOT_COMMITTED);
  return isHeld ? undefined : 'the group has not committed a position in each of its partitions';
}

async function topicFault({ topic, delayMs }: RetryTopic, { admin }: RetryConsumedOptions) {
  if (!readsConfigs(admin)) return undefined;
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: TOPIC_RESOURCE, name: topic, configNames: ['cleanup.policy', 'retention.ms'] }],
  });
  const config = resources.flatMap(({ configEntries }) => configEntries);
  const valueOf = (name: string) => config.find(({ configName }) => configName === name)?.configValue ?? '';
  if (valueOf('cleanup.policy').includes('compact'))
    return 'it is compacted, which deletes messages that wait; set its cleanup.policy to delete';
  const retentionMs = Number(valueOf('retention.ms'));
  return retentionMs < 0 || retentionMs > delayMs
    ? undefined
    : `its retention.ms is not above its delay of ${delayMs}; raise it`;
}

/** The topics of a member, from what it sent when it joined: a version, and texts with their lengths. */
function subscriptionOf(metadata: Buffer): string[] {
  const topics: string[] = [];
  const count = metadata.readInt32BE(2);
  for (let at = 6; topics.length < count;) {
    const end = at + 2 + metadata.readInt16BE(at);
    topics.push(metadata.toString('utf8', at + 2, end));
    at = end;
  }
  return topics;
}
