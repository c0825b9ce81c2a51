import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { onExit } from './on-exit.ts';

/** A program to start, and as whom. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
  /** Default: this process's own. */
  readonly cwd?: string;
  /** Default: this process's own. */
  readonly env?: NodeJS.ProcessEnv;
}

const execute = promisify(execFile);

/** Runs a program to its end. Its error has what the program printed: Maven prints errors to standard output. */
export async function run({ file, args, ...options }: Command): Promise<void> {
  const running = execute(file, args, options);
  const cancel = onExit(() => running.child.kill('SIGKILL'));
  await running.finally(cancel).catch((error: unknown) => {
    if (error instanceof Error && 'stdout' in error) error.message += String(error.stdout);
    throw error;
  });
}

/** Whether a program can be run at all and ends well. */
export async function succeeds(command: Command): Promise<boolean> {
  return run(command).then(
    () => true,
    () => false,
  );
}
