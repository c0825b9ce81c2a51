import { createKafkaWorker } from 'handle-once/kafka-platformatic';
import { onTestFinished } from 'vitest';
import { asPlatformaticAdmin, asPlatformaticProducer } from './as-platformatic.ts';
import { type StartMember, TIMEOUTS } from './member.ts';
import { platformaticConfig, platformaticPackage, watchedPlatformatic } from './platformatic-package.ts';
import { isOfKafkaJs, memberOf, withProducers } from './worker-member.ts';

export const startPlatformaticMember: StartMember = ({
  kafka,
  topic,
  groupId,
  handleOnce,
  events,
  ...plan
}) => {
  const { config, otherTopics = [], admin, onFailed, retry, fromBeginning = true, ...options } = plan.options;
  const { client, seen } = watchedPlatformatic();
  const brokers = kafka.brokers();
  let ownProducer: object | undefined;
  const worker = createKafkaWorker(
    {
      client,
      config: platformaticConfig(brokers, { ...TIMEOUTS, ...config }),
      topics: [topic, ...otherTopics],
      groupId,
      handleOnce,
      fromBeginning,
      drainMs: 500,
      // Below the shortest session.
      rebalanceGraceMs: 1_000,
      onEvent: (event) => {
        events.push(event);
        if (event.type === 'warning' && event.warning === 'CONSUMER_STOPPED')
          seen.crashes.push({ error: new Error(event.message), restart: false });
      },
      ...options,
      admin: admin && (isOfKafkaJs(admin) ? adminOf(brokers) : asPlatformaticAdmin(admin)),
      ...withProducers({ onFailed, retry }, (producer) =>
        isOfKafkaJs(producer) ? (ownProducer ??= producerOf(brokers)) : asPlatformaticProducer(producer),
      ),
    },
    plan.handler,
  );
  return { member: memberOf(worker, seen), seen };
};

type Installed = ReturnType<typeof platformaticPackage>;

function adminOf(bootstrapBrokers: string[]): InstanceType<Installed['Admin']> {
  const admin = new (platformaticPackage().Admin)({ clientId: 'test', bootstrapBrokers });
  onTestFinished(() => admin.close());
  return admin;
}

function producerOf(bootstrapBrokers: string[]): InstanceType<Installed['Producer']> {
  const producer = new (platformaticPackage().Producer)({
    clientId: 'test',
    bootstrapBrokers,
    retryDelay: 200,
  });
  onTestFinished(() => producer.close());
  return producer;
}
