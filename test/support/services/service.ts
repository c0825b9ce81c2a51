/** A running server: where it is, and how to stop it. */
export interface Service {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** A server that somebody else runs, if the environment names it. */
export function externalService(variable: string): Service | undefined {
  const url = process.env[variable];
  return url ? { url, stop: () => Promise.resolve() } : undefined;
}

/** No way to have a service was found on this machine. */
export class NoServiceError extends Error {}
