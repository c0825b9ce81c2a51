import type { Contender } from './contender.ts';

export const BATCH_SIZE = 100;

/** One INSERT for all that a fetch brings, and no dedupe. */
export const BARE_BATCH: Contender = {
  name: 'bare eachBatch, INSERTs of 100',
  runConfig: (_consumer, _groupId, work) => ({
    async eachBatch(fetch) {
      const { messages } = fetch.batch;
      for (let start = 0; start < messages.length; start += BATCH_SIZE) {
        const some = messages.slice(start, start + BATCH_SIZE);
        await work(some);
        fetch.resolveOffset(some.at(-1)?.offset ?? '');
        await fetch.heartbeat();
      }
    },
  }),
};

/** kafkajs as its manual shows it: no dedupe at all. */
export function bareContender(partitionsConsumedConcurrently: number): Contender {
  return {
    name: 'bare eachMessage',
    runConfig: (_consumer, _groupId, work) => ({
      partitionsConsumedConcurrently,
      eachMessage: ({ message }) => work([message]),
    }),
  };
}
