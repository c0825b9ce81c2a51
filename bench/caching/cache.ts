/** What a cache keeps of a message that has succeeded. */
export interface Cached {
  /** What has to be the same each time that the key comes. */
  readonly content: string;
  readonly attempts: number;
  readonly result: unknown;
}

export interface Cache {
  readonly get: (key: string) => Promise<Cached | undefined>;
  /** Not waited for: a message that is missing here is answered from its record. */
  readonly set: (key: string, cached: Cached) => void;
  /** Microseconds of CPU that a server of the cache has spent, when all that it was sent has arrived. */
  readonly serverCpu: () => Promise<number>;
}
