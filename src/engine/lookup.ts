import { InvalidOptionsError } from '../words/errors.ts';
import type { Outcome } from '../words/outcome.ts';
import { checkKey } from '../options/key.ts';
import { outcomeOnRecord } from './answer-from-record.ts';
import { decoderOf } from './decode-record.ts';
import type { Engine } from './engine.ts';

/** The outcome that is on record, without a claim. Undefined where nothing is. */
export async function lookup(engine: Engine, key: string): Promise<Outcome<unknown> | undefined> {
  const { records, events, settings } = engine;
  const startedAt = engine.clock.monotonic();
  checkKey('key', key);
  if (records.lookup === undefined) {
    const message = 'has no lookup: give your own store that method, or create handleOnce with sql';
    throw new InvalidOptionsError('lookup', [{ field: 'store', message }]);
  }
  const reply = await records.lookup(key).catch((error: unknown) => {
    events.emit({ type: 'store-error', scope: settings.scope, key, verb: 'lookup', error });
    throw error;
  });
  if (reply === undefined) return undefined;
  return outcomeOnRecord(reply, decoderOf(engine, { key, startedAt }, reply.attempts));
}
