import type { built } from '../built.ts';

/** This package as it is now, or as it was, with tables of its own. */
export interface Build extends Pick<typeof built, 'core' | 'sqs'> {
  readonly name: string;
  readonly schema: string;
}
