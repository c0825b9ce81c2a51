import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { AnyHandleOnce } from '../api/handle-once.ts';
import type { Handle, HandleRequest } from '../engine/handle.ts';
import { handlesOf } from '../engine/hidden-handles.ts';
import { endsBeforeAbort } from '../lib/wait.ts';
import type { HandleOnceSettings } from '../engine/settings.ts';
import { type Handled, refused } from '../words/endings.ts';
import { createFirstCheck } from './store-check.ts';

/** What all deliveries of a consumer share. */
export interface Consumer {
  /**
   * Handles what it reads. It never throws: what reading, the store or the engine throws is what came of the delivery.
   */
  readonly handle: <R>(read: () => HandleRequest<R, unknown[]>) => Promise<Handled<R>>;
  /** Of the scope that has its records. */
  readonly settings: Pick<HandleOnceSettings, 'scope' | 'schema'>;
  /** In place of that of the settings. */
  readonly schema?: StandardSchemaV1 | undefined;
}

export interface ConsumerOptions {
  readonly handleOnce: AnyHandleOnce;
  readonly inTransaction: boolean;
  readonly schema?: StandardSchemaV1 | undefined;
}

/**
 * What runs the handlers: in a transaction, which they get as last argument, where that is asked for. None is run
 * before the store has been checked.
 */
export function consumerOf({ handleOnce, inTransaction, schema }: ConsumerOptions): Consumer {
  const handles = handlesOf(handleOnce);
  const handle = (inTransaction ? handles.inTransaction : handles.handle) as Handle<unknown[]>;
  const checkStore = createFirstCheck(handleOnce);
  return {
    settings: handleOnce.settings,
    schema,
    async handle(read) {
      try {
        const delivery = read();
        const checking = checkStore();
        // One that is aborted meanwhile is refused as such.
        if (checking !== undefined) await endsBeforeAbort(checking, delivery.signal);
        return await handle(delivery);
      } catch (error) {
        return refused(error);
      }
    },
  };
}
