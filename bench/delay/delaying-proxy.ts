import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface DelayOptions {
  readonly host: string;
  readonly port: number;
  /** For how long each direction is held. */
  readonly holdMs: number;
}

/** A way to a server that takes longer. */
export interface DelayingProxy {
  readonly port: number;
  readonly stop: () => void;
}

const PROGRAM = fileURLToPath(new URL('proxy-process.ts', import.meta.url));

export async function startDelayingProxy({ host, port, holdMs }: DelayOptions): Promise<DelayingProxy> {
  const child = fork(PROGRAM, [host, String(port), String(holdMs)]);
  const [ownPort] = (await once(child, 'message')) as [number];
  return {
    port: ownPort,
    stop() {
      child.disconnect();
    },
  };
}
