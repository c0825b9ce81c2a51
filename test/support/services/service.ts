import { dockerIsRunning } from './docker.ts';

/** A running server: where it is, and how to stop it. */
export interface Service {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** The ways to have a server, in the order in which they are tried. */
export interface WaysToStart {
  /** The environment variable that names one which is running already. */
  readonly variable: string;
  readonly inDocker: () => Promise<Service>;
  /** Undefined where this machine lacks what it takes. */
  readonly asProcess: () => Promise<Service | undefined>;
  /** What needs it, and what `asProcess` takes. */
  readonly what: string;
  readonly takes: string;
}

/** No way to have a service was found on this machine. */
export class NoServiceError extends Error {}

/** A server that is running already, if the environment names it. */
export function externalService(variable: string): Service | undefined {
  const url = process.env[variable];
  return url ? { url, stop: () => Promise.resolve() } : undefined;
}

export async function startService(ways: WaysToStart): Promise<Service> {
  const { variable, inDocker, asProcess, what, takes } = ways;
  const external = externalService(variable);
  if (external !== undefined) return external;
  if (await dockerIsRunning()) return await inDocker();
  const service = await asProcess();
  if (service === undefined) throw new NoServiceError(`${what} need ${variable}, Docker, or ${takes}`);
  return service;
}
