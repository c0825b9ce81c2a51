import type { Service } from '../../test/support/services/service.ts';

/** A server, and whether it was there before: one of the demo's own is thrown away as a whole. */
export interface DemoService extends Service {
  readonly isBorrowed: boolean;
}
