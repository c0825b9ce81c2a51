import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished, vi } from 'vitest';
import { programOf } from '../../support/program.ts';
import { demoProgram } from './demo-program.ts';

/** An example that runs as a process of its own, bundled as its reader may deploy it. */
export interface Example {
  readonly pid: number;
  /** What it has printed so far. */
  output(): string;
  /** Waits until it has printed something. */
  prints(text: string | RegExp): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  exitCode(): Promise<number | null>;
}

export function startExample(
  file: string,
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Example {
  return start([programOf(`examples/${file}`), ...args], environment);
}

export async function startDemo(
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<Example> {
  return start([await demoProgram(), ...args], environment);
}

function start(args: readonly string[], environment: Readonly<Record<string, string>>): Example {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, NO_COLOR: '1', ...environment },
    // In a process group of its own, one can see whether it leaves processes behind.
    detached: true,
  });
  if (child.pid === undefined) throw new Error(`${args.join(' ')} did not start`);
  const ended = once(child, 'close') as Promise<[number | null]>;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });

  return {
    pid: child.pid,
    output: () => output,
    prints: (text) =>
      vi.waitFor(
        () => {
          if (output.search(text) === -1) throw new Error(`it has not printed ${text}, but:\n${output}`);
        },
        { timeout: 50_000, interval: 50 },
      ),
    signal: (signal) => child.kill(signal),
    exitCode: async () => (await ended)[0],
  };
}

/** What `new SQSClient()` reads. */
export function awsEnvironment(endpoint: string): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
}
