import { fileURLToPath } from 'node:url';
import { TerminalError } from 'handle-once';
import { redriveTopic } from 'handle-once/kafka';
import { expect, onTestFinished, test } from 'vitest';
import { leave, numbered, useFixture } from '../kafka/broker/support/fixture.ts';
import { kafkaBrokers } from '../support/kafka.ts';
import type { RedriveSettings } from './redrive/settings.ts';
import { runProcess } from './run-process.ts';

const { kafka, setup, sql, databaseUrl } = useFixture();
const program = fileURLToPath(new URL('redrive/redrive.ts', import.meta.url));

const LETTERS = 4;

test('A redrive that is killed at every step loses no dead letter, and the next one makes each run once', async () => {
  const group = await setup();
  const { topic } = group;
  const deadLetterTopic = await kafka.createTopic();
  const producer = kafka.kafka.producer();
  await producer.connect();
  onTestFinished(() => producer.disconnect());
  await group.produce(...numbered(LETTERS));
  const onFailed = { deadLetterTopic, producer };
  const failing = await group.start(
    () => {
      throw new TerminalError('no');
    },
    { onFailed },
  );
  await group.caughtUp();
  await leave(failing);

  const servers = kafkaBrokers().join(',');
  const ends = { from: deadLetterTopic, to: topic };
  // Each waits until the group has given up the one that was killed before it.
  for (const crashAt of ['before-send', 'after-send', 'after-remove'] as const) {
    const settings: RedriveSettings = { broker: 'kafka', servers, databaseUrl, ...ends, crashAt };
    expect(await runProcess(program, settings).ended).toBe('SIGKILL');
  }
  const report = await redriveTopic({ kafka: kafka.kafka, sql, ...ends });
  expect(report).toMatchObject({ state: 'finished', sent: LETTERS - 1, kept: 0 });
  expect(await redriveTopic({ kafka: kafka.kafka, sql, ...ends })).toMatchObject({ sent: 0, removed: 0 });

  const runs: string[] = [];
  await group.start(({ message }) => {
    runs.push(message.offset);
  });
  await group.caughtUp();
  expect(runs.sort()).toEqual(['0', '1', '2', '3']);
  expect((await group.records()).map(({ state, attempts }) => [state, attempts])).toEqual(
    Array.from({ length: LETTERS }, () => ['succeeded', 2]),
  );
}, 120_000);
