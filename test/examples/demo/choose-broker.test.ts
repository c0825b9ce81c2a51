import { expect, it } from 'vitest';
import { chooseBroker } from '../../../examples/demo/choose-broker.ts';
import { startDemo } from '../support/example.ts';

it.each([
  { args: [], name: 'SQS' },
  { args: ['sqs'], name: 'SQS' },
  { args: ['kafka'], name: 'Kafka' },
])('$args is $name', ({ args, name }) => {
  expect(chooseBroker(args).name).toBe(name);
});

it.each([[['foo']], [['sqs', 'kafka']], [['']]])('refuses %j', (args) => {
  expect(() => chooseBroker(args)).toThrow(/^there is no demo ".*": /);
});

it('says in one line which demos there are', async () => {
  const demo = await startDemo({}, ['foo']);
  expect(await demo.exitCode()).toBe(1);
  expect(demo.output()).toBe('there is no demo "foo": npm run demo -- sqs or npm run demo -- kafka\n');
});
