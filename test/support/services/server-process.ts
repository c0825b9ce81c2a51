import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { onExit } from './on-exit.ts';
import type { Command } from './run.ts';

const START_TIMEOUT_MS = 60_000;
const RESTART_WITHIN_MS = 120_000;

export interface ServerProcess {
  /** What `ready` matched in the server's output. */
  readonly ready: RegExpExecArray;
  readonly stop: () => Promise<void>;
  /** Ends it by a signal, and waits for its end. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
  /** Gives the server no chance to end well. */
  readonly kill: () => Promise<void>;
  readonly isRunning: () => boolean;
}

/** Starts a server and waits until its output says that it is ready. */
export async function startServerProcess(
  { file, args, ...options }: Command,
  { ready, stopSignal }: { ready: RegExp; stopSignal: NodeJS.Signals },
): Promise<ServerProcess> {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const cancel = onExit(() => child.kill('SIGKILL'));
  const timeout = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  let output = '';

  const match = await new Promise<RegExpExecArray>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const found = ready.exec(output);
      if (found) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    child.once('exit', () => {
      reject(new Error(`${file} ended before it was ready:\n${output}`));
    });
  }).finally(() => {
    clearTimeout(timeout);
  });

  for (const stream of [child.stdout, child.stderr]) {
    stream.removeAllListeners('data');
    // A full pipe would stop the server.
    stream.resume();
  }

  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const end = async (signal: NodeJS.Signals) => {
    if (isRunning()) {
      child.kill(signal);
      await once(child, 'exit');
    }
    cancel();
  };
  return { ready: match, end, stop: () => end(stopSignal), kill: () => end('SIGKILL'), isRunning };
}

/** Starts a server that was killed, again and again until it starts. */
export async function untilItStarts(start: () => Promise<ServerProcess>): Promise<ServerProcess> {
  const deadline = performance.now() + RESTART_WITHIN_MS;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(200);
    }
  }
}
