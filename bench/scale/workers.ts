import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('worker.ts', import.meta.url));

/** What each worker is asked to do. */
export interface Spell {
  readonly messages: number;
  readonly inFlight: number;
}

/** What a worker answers: when it worked, and its CPU for each message, in microseconds. */
export interface Share {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly client: number;
}

export interface Workers {
  /** Lets the first `count` of them work at once. */
  readonly run: (count: number, spell: Spell) => Promise<readonly Share[]>;
  readonly stop: () => Promise<void>;
}

export async function startWorkers(databaseUrl: string, count: number): Promise<Workers> {
  const workers: Worker[] = [];
  // One after the other: the first makes the tables.
  for (let number = 0; number < count; number += 1) workers.push(await startWorker(databaseUrl));
  return {
    run: (some, spell) => Promise.all(workers.slice(0, some).map((worker) => worker.work(spell))),
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}

interface Worker {
  readonly work: (spell: Spell) => Promise<Share>;
  readonly stop: () => Promise<void>;
}

async function startWorker(databaseUrl: string): Promise<Worker> {
  const child = fork(PROGRAM, [databaseUrl]);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`a worker ended with code ${String(code)}`);
  });
  ended.catch(() => undefined);
  await answerOf(child, ended);
  return {
    work(spell) {
      child.send(spell);
      return answerOf(child, ended);
    },
    async stop() {
      child.disconnect();
      await ended.catch(() => undefined);
    },
  };
}

async function answerOf<T>(child: ChildProcess, ended: Promise<never>): Promise<T> {
  const [answer] = (await Promise.race([once(child, 'message'), ended])) as [T];
  return answer;
}
