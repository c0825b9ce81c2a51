import type { Life } from '../../time/life.ts';
import type { Broker, Place } from '../broker/broker.ts';
import type { Link } from './link.ts';

export interface ConsumerOptions {
  readonly life: Life;
  readonly link: Link;
  readonly broker: Broker;
  readonly topics: readonly string[];
  readonly beginsAtStart: (topic: string) => boolean;
  readonly sessionMs: number;
  readonly rebalanceMs: number;
  readonly heartbeatMs: number;
  readonly maxWaitMs: number;
  /** Records of one partition in a fetch. */
  readonly most: number;
  /** Called where a fetch lands. */
  readonly onFetch: (positions: readonly (Place & { readonly from: number })[]) => void;
  readonly onOutOfRange: (place: Place) => void;
  readonly onRestart: () => void;
}
