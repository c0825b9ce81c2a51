import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type * as z from 'zod/mini';
import { parseOptions } from '../../src/adapter-kit.ts';
import { InvalidOptionsError, type OptionIssue } from '../../src/index.ts';
import { handlerFaults, sharedFaults } from './check-settings.ts';
import { type Discovery, findHandlers, type FoundHandler } from './find-handlers.ts';
import { type HandleOnceModuleOptions, moduleOptions } from './options.ts';
import { type Prepared, prepareKafka, prepareSqs, type Running } from './prepare.ts';

export const SUBJECT = 'HandleOnceModule';

/** The token of an application's consumers. */
export const CONSUMERS = Symbol('handle-once: consumers');

const IMPORTED_AGAIN =
  'is imported more than once: import it once, in the root module, with the settings of all names';

/** The consumers of an application, as its lifecycle has them. */
export type Consumers = OnApplicationBootstrap & BeforeApplicationShutdown;

/** Starts a consumer for each handler when the application has started, and drains them before it ends. */
export function createConsumers(given: HandleOnceModuleOptions, services: Discovery): Consumers {
  const options = checkedOptions(given);
  let running: Running[] = [];

  async function stop(): Promise<void> {
    const ended = await Promise.allSettled(running.map((consumer) => consumer.stop()));
    running = [];
    const failed = ended.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  return {
    async onApplicationBootstrap() {
      checkImportedOnce(services);
      const found = findHandlers(services);
      const prepared = await prepareAll(options, found);
      try {
        for (const consumer of prepared) running.push(await consumer.start());
      } catch (error) {
        await stop();
        throw error;
      }
    },
    beforeApplicationShutdown: stop,
  };
}

/** Each import of the module finds all handlers: two would run two consumers for one. */
function checkImportedOnce({ discovery }: Discovery): void {
  const imports = discovery.getProviders().filter(({ token }) => token === CONSUMERS);
  if (imports.length > 1) throw new InvalidOptionsError(SUBJECT, [{ field: '', message: IMPORTED_AGAIN }]);
}

/** Throws `InvalidOptionsError`. */
export function checkedOptions(given: HandleOnceModuleOptions): z.output<ReturnType<typeof moduleOptions>> {
  const options = parseOptions(SUBJECT, moduleOptions(), given);
  const issues = sharedFaults(options);
  if (issues.length > 0) throw new InvalidOptionsError(SUBJECT, issues);
  return options;
}

/** Makes each consumer, and starts none. Throws `InvalidOptionsError` with all that is wrong with any of them. */
async function prepareAll(
  options: z.output<ReturnType<typeof moduleOptions>>,
  found: readonly FoundHandler[],
): Promise<Prepared[]> {
  const names = { sqs: Object.keys(options.sqs), kafka: Object.keys(options.kafka) };
  const issues = handlerFaults(names, found);
  const all: Prepared[] = [];
  for (const handler of found.filter(isFirstOfItsName)) {
    try {
      const prepared = await prepare(options, handler);
      if (prepared === undefined) continue;
      all.push({ start: () => prepared.start().catch(withName(handler)) });
    } catch (error) {
      if (!(error instanceof InvalidOptionsError)) throw error;
      issues.push(...issuesOf(handler, error));
    }
  }
  if (issues.length > 0) throw new InvalidOptionsError(SUBJECT, issues);
  return all;
}

function isFirstOfItsName(
  { kind, name }: FoundHandler,
  index: number,
  found: readonly FoundHandler[],
): boolean {
  return found.findIndex((other) => other.kind === kind && other.name === name) === index;
}

/** Undefined where the handler has no settings. */
async function prepare(
  { handleOnce, sqs = {}, kafka = {} }: HandleOnceModuleOptions,
  { kind, name, run }: FoundHandler,
): Promise<Prepared | undefined> {
  const queue = sqs[name];
  const topics = kafka[name];
  if (kind === 'sqs' && queue !== undefined) return await prepareSqs(queue, handleOnce, run);
  if (kind === 'kafka' && topics !== undefined) return await prepareKafka(topics, handleOnce, run);
  return undefined;
}

/** Rethrows; what is wrong with options gets the name of the settings. */
function withName(handler: FoundHandler) {
  return (error: unknown): never => {
    if (!(error instanceof InvalidOptionsError)) throw error;
    throw new InvalidOptionsError(SUBJECT, issuesOf(handler, error), { cause: error });
  };
}

/** What is wrong with the settings of a handler, by their name. */
function issuesOf({ kind, name }: FoundHandler, { issues }: InvalidOptionsError): OptionIssue[] {
  return issues.map(({ field, message }) => ({
    field: [kind, name, ...(field === '' ? [] : [field])].join('.'),
    message,
  }));
}
