import type { Header } from './kept-headers.ts';

/** A response that is complete. */
export interface WholeResponse {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Buffer;
}
