import { DamagedRecordError } from '../words/errors.ts';
import type { StoredError } from '../words/outcome.ts';
import { endOf, type Engine } from './engine.ts';

export type DecodeRecord = ReturnType<typeof decoderOf>;

/** Reads records. Throws `DamagedRecordError`: the error of the parser quotes the text. */
export function decoderOf(
  engine: Engine,
  message: { readonly key: string; readonly startedAt: number },
  attempts: number,
) {
  function decoded(column: 'result' | 'error', json: string, isRight: (value: unknown) => boolean): unknown {
    try {
      const value: unknown = JSON.parse(json);
      if (isRight(value)) return value;
    } catch {
      // Reported below, as what is JSON and not an error.
    }
    return damaged(column);
  }

  function damaged(column: 'result' | 'error' | 'state'): never {
    const end = endOf(engine, message, attempts, 'pending');
    const error = new DamagedRecordError(end.scope, end.key, column);
    engine.events.emit({ type: 'store-error', ...end, verb: 'claim', error });
    throw error;
  }

  return {
    result: (json: string | null): unknown =>
      json === null ? undefined : decoded('result', json, () => true),
    error: (json: string) => decoded('error', json, isStoredError) as StoredError,
    unknownState: () => damaged('state'),
  };
}

function isStoredError(value: unknown): value is StoredError {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('message' in value))
    return false;
  return typeof value.name === 'string' && typeof value.message === 'string';
}
