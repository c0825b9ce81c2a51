import type { Contender } from './contender.ts';

/** kafkajs as its manual shows it: no dedupe at all. */
export function bareContender(partitionsConsumedConcurrently: number): Contender {
  return {
    name: 'bare eachMessage',
    runConfig: (_consumer, _groupId, work) => ({
      partitionsConsumedConcurrently,
      eachMessage: ({ message }) => work(message),
    }),
  };
}
