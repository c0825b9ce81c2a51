import type * as z from 'zod';
import { hasMethods } from '../../../src/adapter-kit.ts';

interface WithProducers {
  readonly onFailed: 'acknowledge' | { readonly producer: object };
  readonly retry?: { readonly producer: object } | undefined;
}

/** What a producer of the package changes messages by. */
const CHANGES = ['serializers', 'beforeSerialization', 'registry'];

/** Refuses producers that would fail with each copy, and so withhold what has failed. */
export function checkProducers({ onFailed, retry }: WithProducers, context: z.core.$RefinementCtx): void {
  const given = [
    ['onFailed', onFailed === 'acknowledge' ? undefined : onFailed.producer],
    ['retry', retry?.producer],
  ] as const;
  for (const [option, producer] of given) {
    const message = producer && producerFault(producer);
    if (message !== undefined) context.addIssue({ code: 'custom', path: [option, 'producer'], message });
  }
}

function producerFault(producer: object): string | undefined {
  if (hasMethods(producer, ['sendBatch']))
    return 'must be a producer of @platformatic/kafka, not one of kafkajs or of another client';
  const changed = changeOf(producer);
  return changed && `must have no ${changed}: copies are sent as the bytes that came`;
}

/** The package keeps the options of a producer behind a symbol of its own. */
function changeOf(producer: object): string | undefined {
  const kept = Object.getOwnPropertySymbols(producer).map((name): unknown => Reflect.get(producer, name));
  return CHANGES.find((change) =>
    kept.some((one) => typeof one === 'object' && one !== null && Reflect.get(one, change) !== undefined),
  );
}
