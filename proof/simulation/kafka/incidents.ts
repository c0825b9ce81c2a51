import type { KafkaConsumer } from '../../../adapters/kafka/log/kafkajs-types.ts';
import type { Database } from '../models/database.ts';
import type { Life } from '../time/life.ts';
import { Random } from '../time/random.ts';
import type { World } from '../world/world.ts';
import { type Broker, nameOf } from './broker/broker.ts';
import type { PartitionLog } from './broker/partition-log.ts';
import { TOPIC } from './broker/topics.ts';
import type { KafkaSettings } from './settings.ts';

/** A consumer in its process. */
export interface Started {
  readonly life: Life;
  readonly consumer: KafkaConsumer;
}

const KINDS = ['retention', 'leader', 'coordinator', 'pause', 'seek'] as const;

/** Lets happen what befalls brokers and topics, and what users do with their consumers. */
export function scheduleBrokerIncidents(
  world: World,
  database: Database,
  broker: Broker,
  { fromBeginning }: KafkaSettings,
  started: () => readonly Started[],
): void {
  const { random, scheduler, plan } = world;
  const { calmFrom } = plan.network;
  /** The lowest position that a user has moved a partition to: the group has yet to commit it. */
  const sought = new Map<PartitionLog, number>();
  const passedOf = (log: PartitionLog): number =>
    Math.min(
      broker.coordinator.committedOf(log.topic, log.partition) ?? log.start,
      sought.get(log) ?? Infinity,
    );
  const kinds = KINDS.filter(() => random.chance(0.4));
  for (const kind of kinds) {
    for (let count = random.whole(1, 2); count > 0; count -= 1) {
      const at = random.between(500, calmFrom * 0.9);
      scheduler.after(at, () => {
        const log = random.pick(broker.logsOf(TOPIC));
        const alive = started().filter(({ life }) => life.isAlive && !life.standsStill);
        switch (kind) {
          case 'retention':
            deleteOld(world, log, fromBeginning ? log.end : passedOf(log));
            break;
          case 'leader':
            if (broker.nodes.length > 1) broker.moveLeader(log);
            break;
          case 'coordinator':
            world.tell({ type: 'fault', fault: 'coordinator moved' });
            broker.coordinator.moveAway(random.between(100, 3_000));
            break;
          case 'pause':
            if (alive.length > 0) pause(world, random.pick(alive), log);
            break;
          case 'seek':
            if (alive.length > 0) {
              const to = seekBack(world, database, broker, random.pick(alive), log);
              sought.set(log, Math.min(to, sought.get(log) ?? Infinity));
            }
            break;
        }
      });
    }
  }
}

const LOST_RIGHT_SHARE = 0.2;

/** Takes rights on copies' topics away. By a random of its own: no course without that changes. */
export function scheduleLostRights(
  { plan, scheduler }: World,
  broker: Broker,
  topics: readonly string[],
): void {
  const { calmFrom } = plan.network;
  const random = new Random(~plan.seed);
  for (const right of topics.flatMap((topic) => [`write to ${topic}`, `describe ${topic}`] as const)) {
    if (!random.chance(LOST_RIGHT_SHARE)) continue;
    const at = random.between(0, calmFrom * 0.9);
    const forMs = Math.min(calmFrom - at, random.between(500, 20_000));
    scheduler.after(at, () => {
      broker.forbid(right, forMs);
    });
  }
}

/** Not what is still to be read by clients that begin at the end then: of that docs/kafka.md says what is lost. */
function deleteOld(world: World, log: PartitionLog, upTo: number): void {
  const before = world.random.whole(log.start, Math.max(log.start, upTo));
  if (before === log.start) return;
  log.deleteBefore(before);
  const { topic, partition, start } = log;
  world.tell({ type: 'fault', fault: 'messages deleted by retention', what: nameOf(log) });
  world.tell({ type: 'log-begins', topic, partition, offset: start });
}

/** A user pauses a partition or the whole topic, and resumes it. */
function pause(world: World, { life, consumer }: Started, { topic, partition }: PartitionLog): void {
  const { random, scheduler, plan } = world;
  const topics = random.chance(0.5) ? [{ topic }] : [{ topic, partitions: [partition] }];
  if (
    !attempt(() => {
      consumer.pause(topics);
    })
  )
    return;
  world.tell({ type: 'fault', fault: 'partition paused by its user', life });
  const leftMs = plan.network.calmFrom - scheduler.now();
  life.arrive(Math.min(leftMs, random.between(500, 10_000)), () => {
    attempt(() => {
      consumer.resume(topics);
    });
  });
}

/** A user lets a partition be read once more from an earlier position, which is returned. */
function seekBack(
  world: World,
  database: Database,
  broker: Broker,
  { life, consumer }: Started,
  log: PartitionLog,
): number {
  const { topic, partition } = log;
  const committed = broker.coordinator.committedOf(topic, partition);
  if (committed === undefined || committed <= log.start) return log.end;
  // What has failed runs again then.
  if (world.random.chance(0.5)) database.retryAny();
  const to = world.random.whole(log.start, committed);
  const offset = String(to);
  if (
    !attempt(() => {
      consumer.seek({ topic, partition, offset });
    })
  )
    return log.end;
  world.tell({
    type: 'fault',
    fault: 'position moved back by a user',
    life,
    what: `${nameOf(log)} to ${offset}`,
  });
  world.tell({ type: 'joined', life, assigned: undefined });
  return to;
}

/** False for a consumer that does not run. */
function attempt(call: () => void): boolean {
  try {
    call();
    return true;
  } catch {
    return false;
  }
}
