import type {
  ClaimReply,
  ClaimTerms,
  ExtendReply,
  KeepReply,
  Settlement,
  SettleReply,
} from '../../../src/store/store.ts';
import type { MemoryRecord } from '../../../testing/memory/memory.ts';
import type { PlannedMessage } from '../plan/plan.ts';
import type { Life } from '../time/life.ts';
import type { KafkaFact } from './kafka-facts.ts';
import type { Fault } from './names.ts';

export type Verb = 'claim' | 'settle' | 'extend' | 'keep';

/** A run of a handler. */
export interface Run {
  readonly life: Life;
  readonly message: PlannedMessage;
  /** Of the attempt, as the handler was told. */
  readonly number: number;
  /** Whether it looks at its signal before each effect. */
  readonly heeds: boolean;
  readonly isInTransaction: boolean;
  /** All that its handler is called for, this one too, in their order. */
  readonly together: readonly PlannedMessage[];
  /** Whether its transaction is rolled back. */
  isUndone?: boolean;
}

/** How a handler ended. One that hangs, or whose process dies, never does. */
export type RunEnd =
  | {
      readonly how: 'returned';
      /** Of this run alone. */
      readonly result: string;
      /** Whether a record can keep what it returned. */
      readonly canBeStored: boolean;
    }
  | {
      readonly how: 'threw';
      readonly retryAfterMs: number | undefined;
      /** It said "not yet". */
      readonly isDeferral: boolean;
    }
  | { readonly how: 'threw a terminal error' }
  /** It saw its signal aborted. */
  | { readonly how: 'gave up' }
  /** The same, since its lease was lost, or was in doubt. */
  | { readonly how: 'lost its lease' }
  /** Its transaction cannot commit any more. */
  | { readonly how: 'undone'; readonly lostConflict: boolean };

interface OfStatement {
  readonly life: Life;
  readonly key: string;
  readonly token: string;
}

/** When a request has left its process, by the clocks of that life. */
export interface AskedAt {
  readonly monotonicMs: number;
  /** As `Life.shownMs`. */
  readonly shownMs: number;
}

/** What a statement did to one record. */
interface Effect extends OfStatement {
  readonly before: MemoryRecord | undefined;
  readonly after: MemoryRecord | undefined;
}

export interface ClaimEffect extends Effect {
  readonly type: 'claim';
  readonly fingerprint: string;
  readonly terms: ClaimTerms;
  readonly sentAt: number;
  readonly reply: ClaimReply;
}

export interface SettleEffect extends Effect {
  readonly type: 'settle';
  readonly settlement: Settlement;
  readonly reply: SettleReply;
}

export interface ExtendEffect extends Effect {
  readonly type: 'extend';
  readonly leaseMs: number;
  readonly sentAt: number;
  readonly reply: ExtendReply;
}

export interface KeepEffect extends Effect {
  readonly type: 'keep';
  readonly reply: KeepReply;
}

/** A step of a run. */
interface OfStep {
  readonly run: Run;
  readonly name: string;
}

/** Everything that happens in a world, and that rules may look at. */
export type Fact =
  | KafkaFact
  | { readonly type: 'fault'; readonly fault: Fault; readonly life?: Life; readonly what?: string }
  | { readonly type: 'life'; readonly life: Life; readonly what: 'began' | 'ended' }
  /** A request has left its process. */
  | (OfStatement & { readonly type: 'asked'; readonly verb: Verb })
  | ClaimEffect
  | SettleEffect
  | ExtendEffect
  | KeepEffect
  | (OfStep & { readonly type: 'step-began' })
  /** `step-done`: its code has returned. `step`: its handler has its result, and goes on. */
  | (OfStep & { readonly type: 'step-done' | 'step'; readonly result: unknown })
  /** A reply has reached its process, and says that the record is its own. */
  | (OfStatement & {
      readonly type: 'confirmed';
      readonly verb: Verb;
      readonly askedAt: AskedAt;
    })
  /** A reply has reached its process, and says that the record is not its own. */
  | (OfStatement & { readonly type: 'denied' })
  /** A call has ended, whatever it said. */
  | { readonly type: 'answered'; readonly verb: Verb; readonly life: Life }
  | { readonly type: 'retried' | 'forgotten' | 'purged'; readonly key: string }
  | { readonly type: 'database-clock-set'; readonly ms: number }
  | {
      readonly type: 'sent';
      readonly message: PlannedMessage;
      /** Whether the order of its group is kept. */
      readonly isInOrder: boolean;
    }
  /** Moved to other dead letters than ours: it is not delivered any more. */
  | { readonly type: 'redriven'; readonly message: PlannedMessage }
  | { readonly type: 'polled'; readonly life: Life; readonly visibilitySeconds: number }
  | {
      readonly type: 'delivered';
      readonly life: Life;
      readonly message: PlannedMessage;
      readonly receiveCount: number;
    }
  /** Its user, or its client, is told what its handler has returned. */
  | {
      readonly type: 'told';
      readonly life: Life;
      readonly message: PlannedMessage;
      /** Undefined where the record could not keep it. */
      readonly result: string | undefined;
    }
  /** Its broker need not deliver it again. */
  | { readonly type: 'acknowledged'; readonly life: Life; readonly message: PlannedMessage }
  | { readonly type: 'letter'; readonly life: Life; readonly message: PlannedMessage }
  | {
      readonly type: 'committed';
      readonly life: Life;
      /** What has written in the transaction. */
      readonly run: Run | undefined;
      /** The token of the record that it puts on record. */
      readonly settles: string | undefined;
    }
  | { readonly type: 'run' | 'effect'; readonly run: Run }
  | { readonly type: 'ended'; readonly run: Run; readonly end: RunEnd }
  | {
      readonly type: 'event';
      readonly life: Life;
      /** The type of the event. */
      readonly name: string;
      readonly of: string;
      readonly detail: string;
    };
