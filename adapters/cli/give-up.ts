import { NoAnswerError, UsageError } from './errors.ts';

let reject: (error: Error) => void;
let timer: NodeJS.Timeout | undefined;

/** Rejects when the command is given up. What it waits for then goes on until the process ends. */
export const givenUp = new Promise<never>((_, giveUp) => {
  reject = giveUp;
});

/** Gives the command up after a time, unless its answer is there. The last call of this has it. */
export function giveUpAfter(milliseconds: number, message: string): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    reject(new NoAnswerError(message));
  }, milliseconds).unref();
}

/** The answer is there. The database is still to be closed. */
export function answered(): void {
  clearTimeout(timer);
}

/** Gives the command up where the process would end without an answer. */
export function giveUpAtDeadEnd(): void {
  process.once('beforeExit', () => {
    reject(
      new UsageError(
        'the command waits for an answer that cannot come: the module of --config awaits a promise that never ' +
          'settles, in its top-level await or in one of its clients',
      ),
    );
  });
}
