import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A program to start, and as whom. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

const execute = promisify(execFile);

/** Runs a program to its end. */
export async function run({ file, args, ...options }: Command): Promise<void> {
  await execute(file, args, options);
}

/** Whether a program can be run at all and ends well. */
export async function succeeds(command: Command): Promise<boolean> {
  return run(command).then(
    () => true,
    () => false,
  );
}
