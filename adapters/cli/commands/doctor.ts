import type { Command } from 'commander';
import { hasMethods } from '../../../src/adapter-kit.ts';
import { createHandleOnce, type HandleOnceSettings } from '../../../src/index.ts';
import { doctor, type Finding } from '../../operations/index.ts';
import { type Answer, answer, shared, type SharedOptions } from '../command.ts';
import { type ConfigModule, loadConfig } from '../config.ts';
import { queueFindings } from '../doctor/queue.ts';
import { topicFindings } from '../doctor/topics.ts';
import { EXIT, UsageError } from '../errors.ts';
import { printable } from '../printable.ts';
import { tableOf } from '../table.ts';
import { wholeNumber } from '../whole-number.ts';

interface DoctorOptions extends SharedOptions {
  readonly concurrency?: number;
  readonly queueUrl?: string;
  readonly topics?: readonly string[];
}

export function addDoctor(program: Command): void {
  shared(program.command('doctor').description('check for what makes workers slow or unsafe'))
    .option(
      '--concurrency <count>',
      'how many handlers run in transactions at once, to compare with the pool',
      wholeNumber,
    )
    .option('--queue-url <url>', 'the URL of an SQS queue, to check its settings')
    .option('--topics <names...>', 'Kafka topics, to check their retention')
    .action(async ({ concurrency, queueUrl, topics, ...options }: DoctorOptions) => {
      const config = await loadConfig(options.config);
      if (concurrency !== undefined && config.sql === undefined) {
        throw new UsageError('--concurrency needs --config: it is compared with the pool of your workers');
      }
      if (queueUrl !== undefined && !URL.canParse(queueUrl)) {
        throw new UsageError(
          '--queue-url is not a URL: write https://sqs.REGION.amazonaws.com/ACCOUNT/NAME, as the console of SQS ' +
            'shows it',
        );
      }
      if (config.sqs !== undefined && !hasMethods(config.sqs, ['send']))
        throw new UsageError('sqs of --config must be an SQSClient of @aws-sdk/client-sqs');
      const findTopics = topics === undefined ? undefined : topicFinder(config, topics);
      await answer(options, async (tables) => {
        const { settings } = config.handleOnce ?? createHandleOnce({ sql: tables.sql, scope: 'doctor' });
        return answerOf([
          ...(await doctor({ ...tables, concurrency })),
          ...(queueUrl === undefined ? [] : await queueFindings(queueUrl, settings, config.sqs)),
          ...((await findTopics?.(settings)) ?? []),
        ]);
      });
    });
}

function topicFinder({ kafka }: ConfigModule, topics: readonly string[]) {
  if (kafka === undefined) {
    throw new UsageError(
      '--topics needs --config: a module that exports kafka, made by new Kafka({ brokers, ssl, sasl }) of kafkajs',
    );
  }
  if (!hasMethods(kafka, ['admin'])) throw new UsageError('kafka of --config must be a Kafka of kafkajs');
  return (settings: HandleOnceSettings) => topicFindings(kafka, topics, settings);
}

function answerOf(findings: readonly Finding[]): Answer {
  const rows = findings.map(({ check, level, found }) => ({ check, level, found }));
  const fixes = findings.flatMap(({ check, fix }) =>
    fix === undefined ? [] : [printable(`${check}: ${fix}`)],
  );
  const text = [tableOf(rows), ...(fixes.length === 0 ? [] : ['', 'what to do', ...fixes])].join('\n');
  const isWell = findings.every(({ level }) => level === 'ok');
  return { json: findings, text, exitCode: isWell ? EXIT.done : EXIT.found };
}
