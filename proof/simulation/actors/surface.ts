import { fingerprint } from '../../../src/payload/fingerprint.ts';
import type { Cause, Fault, Outcome } from '../facts/names.ts';
import type { Database } from '../models/database.ts';
import type { PlannedMessage } from '../plan/plan.ts';
import type { Identity, PlanTerms } from '../plan/terms.ts';
import type { Rule } from '../rules/rule.ts';
import type { World } from '../world/world.ts';
import { SCOPE } from './handle-once.ts';
import type { Process } from './process.ts';

/** Where messages are known by their own keys, and compared by their text. */
export const OWN_KEYS: Identity = { scope: SCOPE, keyPrefix: '', fingerprintOf: fingerprint };

/** A way by which messages reach handlers: an adapter, as users have it, and a model of what it talks to. */
export interface Surface extends PlanTerms {
  readonly name: string;
  /** How many of a hundred seeds or so are of it. */
  readonly weight: number;
  /** What can go wrong and come out here, beside what can everywhere. Each has to occur. */
  readonly faults: readonly Fault[];
  readonly outcomes: readonly Outcome[];
  /** What can happen everywhere else, and not here. */
  readonly lacks: readonly (Fault | Outcome | Cause)[];
  /** What it promises, beside what every surface does. */
  readonly rules: readonly Rule[];
  /** Sets it up in a world in which nothing has happened yet. What it draws comes from `world.random`. */
  readonly open: (world: World, database: Database) => Scene;
}

/** A surface in one world. */
export interface Scene {
  /** A producer sends a message. */
  send(message: PlannedMessage): void;
  /** Starts in a process what a user would start there. */
  start(process: Process): Worker;
  /** Whether nothing more will become of a message. */
  hasEnded(message: PlannedMessage): boolean;
  /** An operator lets a dead letter run again. Undefined where there are none, or they are not simulated. */
  readonly redrive?: (() => void) | undefined;
}

/** What runs in a process. */
export interface Worker {
  /** As a deployment does it. The process ends afterwards. */
  stop(): Promise<unknown>;
}
