import * as z from 'zod/mini';
import { lazily } from '../../src/lib/lazily.ts';
import { NOT_AN_OBJECT, parseOptions } from '../../src/options/parse-options.ts';
import { keptStepsOf } from '../../src/payload/kept-steps.ts';
import { toView } from './record.ts';
import { run } from './run.ts';
import { recordFields, type RecordOptions, tablesOf } from './tables.ts';

/** Options of `forgetStep`. */
export interface ForgetStepOptions extends RecordOptions {
  /** The name that the handler gave to `attempt.step`. */
  readonly step: string;
}

/** What `forgetStep` did. */
export type ForgottenStep =
  | { readonly state: 'forgotten' }
  /** There is no such record, or no step of this name has ended. */
  | { readonly state: 'absent' }
  /** An attempt runs, and would put the step back with its next one. Stop its worker, or wait for its end. */
  | { readonly state: 'running' };

const forgetOptions = lazily(() => {
  const fields = recordFields();
  return z.strictObject({ ...fields, step: fields.key }, NOT_AN_OBJECT);
});

/**
 * Forgets that a step of a message has ended: the next attempt runs it again. For a step whose result is wrong.
 *
 * Nothing runs until the message is delivered again. Throws `InvalidOptionsError`, `DamagedRecordError`, `StoreError`
 * and `SchemaError`.
 *
 * @example
 * ```ts
 * import { forgetStep } from 'handle-once/operations';
 *
 * const { state } = await forgetStep({ sql, scope: 'billing', key: 'order-7', step: 'summary' });
 * ```
 */
export async function forgetStep(options: ForgetStepOptions): Promise<ForgottenStep> {
  const { key, scope, step, ...rest } = parseOptions('forgetStep', forgetOptions(), options);
  const { client, statements } = tablesOf(rest);
  for (;;) {
    const [row] = await run(client, statements.show, [scope, key, 'false']);
    const before = row?.at(-1) ?? undefined;
    const kept = keptStepsOf({ scope, key }, before);
    if (row === undefined || before === undefined || !kept.delete(step)) return { state: 'absent' };
    if (toView(row).phase === 'running') return { state: 'running' };
    const changed = await run(client, statements.setSteps, [scope, key, before, kept.text]);
    if (changed.length > 0) return { state: 'forgotten' };
  }
}
