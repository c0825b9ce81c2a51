import { createHandleOnce, InvalidOptionsError } from 'handle-once';
import * as onConfluent from 'handle-once/kafka-confluent';
import * as onPlatformatic from 'handle-once/kafka-platformatic';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test } from 'vitest';
import { isConfluent, isPlatformatic } from './support/client.ts';
import { confluentPackage } from './support/members/confluent-package.ts';
import { loadClient } from './support/members/installed-clients.ts';
import { platformaticPackage } from './support/members/platformatic-package.ts';

const shared = {
  topics: ['orders'],
  groupId: 'workers',
  fromBeginning: true,
  onFailed: 'acknowledge',
  handleOnce: createHandleOnce({ store: createMemoryStore(), scope: 'billing' }),
} as const;

test.runIf(isConfluent).for([
  ['sesion.timeout.ms', 5, 'is not a setting of librdkafka'],
  ['security.protocol', 'secret', 'has a value that librdkafka refuses'],
] as const)('librdkafka refuses %s of config, and the run names it', async ([name, value, why]) => {
  const config = { 'bootstrap.servers': 'localhost:9', [name]: value };
  const worker = onConfluent.createKafkaWorker(
    { ...shared, client: confluentPackage(), config },
    () => undefined,
  );
  const error: unknown = await worker.run().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InvalidOptionsError);
  expect(String(error)).toContain(`config.${name}: ${why}`);
  expect(String(error)).not.toContain('secret');
});

/** Names that the worker calls misspelt. */
function unknownOf(config: object): string[] {
  try {
    const given = { ...config, bootstrapBrokers: ['localhost:9'] };
    onPlatformatic.createKafkaWorker(
      { ...shared, client: platformaticPackage(), config: given },
      () => undefined,
    );
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error;
    return error.issues.filter(({ message }) => message.includes('spelling')).map(({ field }) => field);
  }
  return [];
}

test.runIf(isPlatformatic)('every option of the Consumer is known, and no other is', () => {
  interface Schema {
    properties: Record<string, unknown>;
  }
  const { baseOptionsSchema: base, consumerOptionsSchema: own } = loadClient('platformatic') as {
    baseOptionsSchema: Schema;
    consumerOptionsSchema: Schema;
  };
  // Its types have two more.
  const ofTypes = { requestTimeout: 5, assignmentUserData: Buffer.alloc(0) };
  expect(unknownOf({ ...base.properties, ...own.properties, ...ofTypes })).toEqual([]);
  expect(unknownOf({ sesionTimeout: 5 })).toEqual(['config.sesionTimeout']);
});
