import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { AnyHandleOnce } from '../api/handle-once.ts';
import type { Handle, HandleRequest } from '../engine/handle.ts';
import { handlesOf } from '../engine/hidden-handles.ts';
import { endsBeforeAbort } from '../lib/wait.ts';
import type { HandleOnceSettings } from '../engine/settings.ts';
import { inOptionsOf } from '../options/wrong-function.ts';
import { type Handled, refused } from '../words/endings.ts';
import { createFirstCheck } from './store-check.ts';

/** What handles the deliveries of one consumer. All of them share it. */
export interface Kernel {
  /**
   * Handles what it reads. It never throws: an error of reading, the store or the engine makes the delivery refused.
   */
  readonly handle: <R>(read: () => HandleRequest<R, unknown[]>) => Promise<Handled<R>>;
  /** Of the scope with its records. */
  readonly settings: Pick<HandleOnceSettings, 'scope' | 'schema'>;
  /** In place of the schema of the settings. */
  readonly schema?: StandardSchemaV1 | undefined;
}

export interface KernelOptions {
  /** The function of this package that was given them, for errors. */
  readonly subject: string;
  readonly handleOnce: AnyHandleOnce;
  readonly inTransaction: boolean;
  readonly schema?: StandardSchemaV1 | undefined;
}

/**
 * What runs the handlers. With `inTransaction` they get a transaction as last argument. None runs before the store has
 * been checked.
 */
export function kernelOf({ subject, handleOnce, inTransaction, schema }: KernelOptions): Kernel {
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
        // A delivery that is aborted during the check is refused as aborted.
        if (checking !== undefined) await endsBeforeAbort(checking, delivery.signal);
        return await handle(delivery);
      } catch (error) {
        return refused(inOptionsOf(subject, error));
      }
    },
  };
}
