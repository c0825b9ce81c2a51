import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Rates } from '../interleave.ts';
import type { Measured } from './measured.ts';
import type { WorkName } from './work.ts';

const PROGRAM = fileURLToPath(new URL('../peers/dbos-process.ts', import.meta.url));

/** What the process is asked to measure; it answers with the rates. */
export interface DbosRequest {
  readonly work: WorkName;
  readonly duplicates: boolean;
  readonly messages: number;
  readonly inFlight: number;
}

export interface Dbos {
  readonly contender: (work: WorkName, duplicates: boolean) => Measured;
  readonly stop: () => Promise<void>;
}

/**
 * DBOS in a process of its own: it keeps its context in an AsyncLocalStorage, which on Node 20 makes every promise of
 * the process slower, also those of the others.
 */
export async function startDbos(databaseUrl: string): Promise<Dbos> {
  const child = fork(PROGRAM, [databaseUrl]);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`DBOS ended with code ${String(code)}`);
  });
  ended.catch(() => undefined);
  const answer = async <T>(): Promise<T> => ((await Promise.race([once(child, 'message'), ended])) as [T])[0];
  await answer();
  return {
    contender: (work, duplicates) => ({
      name: 'DBOS',
      measure(messages, inFlight) {
        const request: DbosRequest = { work, duplicates, messages, inFlight };
        child.send(request);
        return answer<Rates>();
      },
    }),
    async stop() {
      child.disconnect();
      await ended.catch(() => undefined);
    },
  };
}
