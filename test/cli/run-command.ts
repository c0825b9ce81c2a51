import { type ChildProcess, execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from '../support/services/temporary-directory.ts';
import { useBuiltCommand } from './built-command.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts the command as a process, as users do. Its words are parted by spaces. */
export type Start = (args: string, env?: Record<string, string>, cwd?: string) => Running;

/** The command, built for the calling file, with the database that it has unless an environment is given. */
export function useCommand(databaseUrl: string): Start {
  const command = useBuiltCommand();
  return (args, env = { DATABASE_URL: databaseUrl }, cwd = ROOT) => {
    const options = { cwd, env: { ...process.env, DATABASE_URL: '', ...env }, maxBuffer: 2 ** 25 };
    const argv = [command(), ...args.split(' ').filter((word) => word !== '')];
    const { promise: ended, resolve } = deferred<Ended>();
    const child = execFile(process.execPath, argv, options, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
    return { child, ended };
  };
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** A module for `--config`, there until the end of the test. */
export async function configFile(source: string): Promise<string> {
  const folder = temporaryDirectory('handle-once-cli-');
  onTestFinished(() => {
    folder.remove();
  });
  const config = join(folder.path, 'config.mjs');
  await writeFile(config, source);
  return config;
}
