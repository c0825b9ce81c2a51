import { vi } from 'vitest';
import { reportFailure } from '../../adapters/cli/command.ts';
import { answered } from '../../adapters/cli/give-up.ts';
import { createProgram } from '../../adapters/cli/program.ts';
import type { Ended } from './run-command.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

class ProcessEnd extends Error {
  readonly code: number;

  constructor(code: number) {
    super('the process ends');
    this.code = code;
  }
}

/** Runs the command in this process, one call at a time: for what does not depend on a process of its own. */
export async function callCommand(args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += text as string;
      return true;
    }),
  );
  for (const [name, value] of Object.entries({ DATABASE_URL: '', ...env })) vi.stubEnv(name, value);
  const listeners = SIGNALS.map((signal) => process.listeners(signal));
  try {
    const code = await exitCodeOf(args);
    return { code, ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
    answered();
    SIGNALS.forEach((signal, index) => {
      for (const listener of process.listeners(signal)) {
        if (listeners[index]?.includes(listener) !== true) process.removeListener(signal, listener);
      }
    });
  }
}

async function exitCodeOf(args: readonly string[]): Promise<number> {
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    const program = createProgram((code) => {
      throw new ProcessEnd(code);
    });
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof ProcessEnd) process.exitCode = error.code;
    else reportFailure(error);
  }
  const { exitCode } = process;
  process.exitCode = before;
  return exitCode;
}
