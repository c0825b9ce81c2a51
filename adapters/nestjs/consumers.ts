import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type * as z from 'zod/mini';
import { parseOptions } from '../../src/adapter-kit.ts';
import { InvalidOptionsError } from '../../src/index.ts';
import { checkHandlers } from './check-handlers.ts';
import { type Discovery, findHandlers, type FoundHandler } from './find-handlers.ts';
import { type HandleOnceModuleOptions, moduleOptions } from './options.ts';
import type { Running } from './running.ts';
import { startKafka } from './start-kafka.ts';
import { startSqs } from './start-sqs.ts';

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
      checkHandlers(SUBJECT, { sqs: Object.keys(options.sqs), kafka: Object.keys(options.kafka) }, found);
      try {
        for (const handler of found) running.push(await start(options, handler));
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
  return parseOptions(SUBJECT, moduleOptions(), given);
}

async function start(
  { handleOnce, sqs = {}, kafka = {} }: HandleOnceModuleOptions,
  { kind, name, run }: FoundHandler,
): Promise<Running> {
  try {
    const queue = sqs[name];
    const topics = kafka[name];
    if (kind === 'sqs' && queue !== undefined) return await startSqs(queue, handleOnce, run);
    if (kind === 'kafka' && topics !== undefined) return await startKafka(topics, handleOnce, run);
    throw new Error(`${kind}.${name} has been checked, and is gone`);
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error;
    throw new InvalidOptionsError(`${SUBJECT}: ${kind}.${name}`, error.issues, { cause: error });
  }
}
