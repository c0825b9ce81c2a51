import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('arrivals-process.ts', import.meta.url));

/** Something that arrives, and when it does, by the shared clock. */
export interface Arrival {
  readonly dueAt: number;
}

/** Another process that tells this one what is due, as a broker would. */
export interface Arrivals {
  /**
   * Handles each when it is due, whether those before it have ended or not, and waits for all. They are in the order of
   * their times.
   */
  readonly handleEach: <One extends Arrival>(
    all: readonly One[],
    handle: (one: One) => Promise<void>,
  ) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function startArrivals(): Promise<Arrivals> {
  const child = fork(PROGRAM, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the arrivals ended with code ${String(code)}`);
  });
  ended.catch(() => undefined);
  await Promise.race([once(child, 'message'), ended]);

  function handleDue<One extends Arrival>(
    all: readonly One[],
    handle: (one: One) => Promise<void>,
  ): Promise<void> {
    let due = 0;
    let handled = 0;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        handled += 1;
        if (handled === all.length) resolve();
      };
      child.stdout?.on('data', (bytes: Buffer) => {
        const arrived = all.slice(due, due + bytes.length);
        due += bytes.length;
        for (const one of arrived) handle(one).then(end, reject);
      });
      child.send(all.map(({ dueAt }) => dueAt));
    });
  }

  return {
    async handleEach(all, handle) {
      await Promise.race([handleDue(all, handle), ended]);
      child.stdout?.removeAllListeners('data');
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended.catch(() => undefined);
    },
  };
}
