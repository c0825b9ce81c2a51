import type { Random } from '../time/random.ts';
import type { Settings } from './settings.ts';

/** How the records of messages are known. */
export interface Identity {
  /** The one that has them. */
  readonly scope: string;
  /** What their keys begin with. */
  readonly keyPrefix: string;
  /** What they keep of a body. */
  readonly fingerprintOf: (body: string) => string;
}

/** What a surface says of the plan of its seeds. */
export interface PlanTerms {
  readonly identity: Identity;
  /** What it makes of the settings that were drawn. */
  readonly fit: (settings: Settings, random: Random) => Settings;
  /** The same of those that are drawn for other workers. Undefined: any will do. */
  readonly fitBeside?: (settings: Settings) => Settings;
}
