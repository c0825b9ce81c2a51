import { spawn } from 'node:child_process';

/** A program that has ended. `code` is null where a signal ended it. */
export interface EndedProgram {
  readonly code: number | null;
  readonly printed: string;
}

export interface ProgramOptions {
  /** Default: this process's own. */
  readonly cwd?: string;
  /** Default: this process's own. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether it prints here too, as it goes. Its errors are then shown alone, and not in `printed`. */
  readonly isShown?: boolean;
}

/** Runs a program to its end, whatever its exit code. Rejects when it cannot be started. */
export function runProgram(
  file: string,
  args: readonly string[],
  { isShown = false, ...options }: ProgramOptions = {},
): Promise<EndedProgram> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', isShown ? 'inherit' : 'pipe'] });
    const printed: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        printed.push(text);
        if (isShown) process.stdout.write(text);
      });
    }
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, printed: printed.join('') });
    });
  });
}

/** What a program prints. Rejects when it ends with a code that is not among `codes`. */
export async function outputOf(
  file: string,
  args: readonly string[],
  { codes = [0], ...options }: ProgramOptions & { readonly codes?: readonly number[] } = {},
): Promise<string> {
  const { code, printed } = await runProgram(file, args, options);
  if (code !== null && codes.includes(code)) return printed;
  throw new Error(`${file} ${args.join(' ')} ended with ${code ?? 'a signal'}: ${printed}`);
}
