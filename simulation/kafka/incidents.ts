import type { KafkaConsumer } from '../../adapters/kafka/index.ts';
import type { Life } from '../world/life.ts';
import type { World } from '../world/world.ts';
import { type Broker, nameOf } from './broker/broker.ts';
import type { PartitionLog } from './broker/partition-log.ts';
import type { KafkaSettings } from './settings.ts';
import { TOPIC } from './topics.ts';

/** A consumer in its process. */
export interface Started {
  readonly life: Life;
  readonly consumer: KafkaConsumer;
}

const KINDS = ['retention', 'leader', 'coordinator', 'pause', 'seek'] as const;

/** Lets happen what befalls brokers and topics, and what users do with their consumers. */
export function scheduleBrokerIncidents(
  world: World,
  broker: Broker,
  { fromBeginning }: KafkaSettings,
  started: () => readonly Started[],
): void {
  const { random, scheduler, plan } = world;
  const { calmFrom } = plan.network;
  const kinds = KINDS.filter(() => random.chance(0.4));
  for (const kind of kinds) {
    for (let count = random.whole(1, 2); count > 0; count -= 1) {
      const at = random.between(500, calmFrom * 0.9);
      scheduler.after(at, () => {
        const log = random.pick(broker.logsOf(TOPIC));
        const alive = started().filter(({ life }) => life.isAlive && !life.standsStill);
        switch (kind) {
          case 'retention':
            deleteOld(world, log, fromBeginning ? log.end : passedOf(broker, log));
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
            if (alive.length > 0) seekBack(world, broker, random.pick(alive), log);
            break;
        }
      });
    }
  }
}

function passedOf({ coordinator }: Broker, { topic, partition, start }: PartitionLog): number {
  return coordinator.committedOf(topic, partition) ?? start;
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

/** A user lets a partition be read once more from an earlier position. */
function seekBack(world: World, broker: Broker, { life, consumer }: Started, log: PartitionLog): void {
  const { topic, partition } = log;
  const committed = broker.coordinator.committedOf(topic, partition);
  if (committed === undefined || committed <= log.start) return;
  // What has failed runs again then.
  if (world.random.chance(0.5)) world.database.reopenAny();
  const offset = String(world.random.whole(log.start, committed));
  if (
    !attempt(() => {
      consumer.seek({ topic, partition, offset });
    })
  )
    return;
  world.tell({
    type: 'fault',
    fault: 'position moved back by a user',
    life,
    what: `${nameOf(log)} to ${offset}`,
  });
  world.tell({ type: 'joined', life });
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
