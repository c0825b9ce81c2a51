import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** A network that takes time. */
export interface DelayingProxy {
  /** The URL of a server, by a way that takes longer. One call at a time. */
  readonly wayTo: (url: string) => Promise<string>;
  readonly stop: () => void;
}

/** For how long each direction is held: with what the proxy itself takes, a round trip is a millisecond longer. */
const HOLD_MS = 0.37;
const PROGRAM = fileURLToPath(new URL('proxy-process.ts', import.meta.url));
/** Where a URL names none. */
const PORTS: Readonly<Record<string, number>> = { 'postgres:': 5432, 'postgresql:': 5432, 'redis:': 6379 };

/** One process for all servers: a second would take more of the machine from what is measured. */
export function startDelayingProxy(): DelayingProxy {
  const child = fork(PROGRAM, [String(HOLD_MS)]);
  return {
    async wayTo(url) {
      const way = new URL(url);
      const target: Target = { host: way.hostname, port: Number(way.port) || (PORTS[way.protocol] ?? 0) };
      child.send(target);
      const [port] = (await once(child, 'message')) as [number];
      way.host = `127.0.0.1:${port}`;
      return way.href;
    },
    stop() {
      child.disconnect();
    },
  };
}
