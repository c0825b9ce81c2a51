export interface KafkaAddresses {
  /** Where the broker listens. */
  readonly listen: string;
  /** Where its clients find it. */
  readonly advertised: string;
  /** Where the broker talks to its own controller. */
  readonly controller: string;
}

/** The configuration of a broker that is a whole cluster by itself. */
export function kafkaProperties(addresses: KafkaAddresses, data: string): Record<string, string> {
  return {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@${addresses.controller}`,
    listeners: `PLAINTEXT://${addresses.listen},CONTROLLER://${addresses.controller}`,
    'advertised.listeners': `PLAINTEXT://${addresses.advertised}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': data,
    'auto.create.topics.enable': 'false',

    // There is nobody to replicate to.
    'offsets.topic.replication.factor': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'share.coordinator.state.topic.replication.factor': '1',
    'share.coordinator.state.topic.min.isr': '1',
    // The defaults, 50 each, cost seconds in the first test that needs them, and in a restart.
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.num.partitions': '1',
    'share.coordinator.state.topic.num.partitions': '1',

    // Tests wait for what clusters take their time with: groups that form, sessions that end, compaction.
    'group.initial.rebalance.delay.ms': '0',
    'group.min.session.timeout.ms': '500',
    'log.cleaner.backoff.ms': '100',
    // A killed broker is let in again when its session has ended.
    'broker.session.timeout.ms': '2000',
    'broker.heartbeat.interval.ms': '500',
  };
}
