export interface KafkaAddresses {
  /** Where the broker listens. */
  readonly listen: string;
  /** Where its clients find it. */
  readonly advertised: string;
  /** Where the brokers talk to its controller. */
  readonly controller: string;
}

/** A broker's place in its cluster. */
export interface KafkaNode {
  readonly id: number;
  /** The addresses of all controllers: that of node 1 first. */
  readonly controllers: readonly string[];
}

/** The configuration of a broker that is a controller too; by default a whole cluster by itself. */
export function kafkaProperties(
  addresses: KafkaAddresses,
  data: string,
  { id, controllers }: KafkaNode = { id: 1, controllers: [addresses.controller] },
): Record<string, string> {
  const voters = controllers.map((controller, index) => `${index + 1}@${controller}`);
  const replicas = String(Math.min(controllers.length, 3));
  // With three replicas one may be away.
  const replicasInSync = String(Math.min(controllers.length, 2));
  return {
    'process.roles': 'broker,controller',
    'node.id': String(id),
    'controller.quorum.voters': voters.join(','),
    listeners: `PLAINTEXT://${addresses.listen},CONTROLLER://${addresses.controller}`,
    'advertised.listeners': `PLAINTEXT://${addresses.advertised}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': data,
    'auto.create.topics.enable': 'false',

    'default.replication.factor': replicas,
    'min.insync.replicas': replicasInSync,
    'offsets.topic.replication.factor': replicas,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': replicasInSync,
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': replicasInSync,
    // The defaults, 50 each, cost seconds in the first test that needs them, and in a restart.
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.num.partitions': '1',
    'share.coordinator.state.topic.num.partitions': '1',

    // Tests wait for what clusters take their time with: groups that form, sessions that end, compaction.
    'group.initial.rebalance.delay.ms': '0',
    'group.min.session.timeout.ms': '500',
    'log.cleaner.backoff.ms': '100',
    // What is older than its topic keeps is gone in every run, and not in one of ten.
    'log.retention.check.interval.ms': '500',
    'log.initial.task.delay.ms': '500',
    // A killed broker is let in again when its session has ended.
    'broker.session.timeout.ms': '2000',
    'broker.heartbeat.interval.ms': '500',
  };
}
