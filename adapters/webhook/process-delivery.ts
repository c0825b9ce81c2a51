import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  causeOf,
  type FingerprintOptions,
  fingerprintOptionsFor,
  type Handled,
  nameOfThrown,
} from '../../src/adapter-kit.ts';
import type { CallOptions, Calls, Handler, Outcome, ParseOption } from '../../src/index.ts';
import { copyOf, type ReceivedWebhook } from './delivery.ts';
import { deliveryIdAt } from './delivery-id.ts';
import { UnverifiedError, VerifyConfigError } from './errors.ts';
import type { AnyWebhookHandler, Verify } from './options.ts';
import type { IdPlace } from './sources.ts';

export interface Processor<R> {
  /** In the scope of the source. */
  readonly call: Calls<unknown[]>;
  readonly place: IdPlace;
  readonly fingerprint: FingerprintOptions<Buffer, [delivery: ReceivedWebhook]>;
  readonly verify: Verify | 'already-verified';
  readonly schema?: StandardSchemaV1 | undefined;
  readonly parse: (body: string) => unknown;
  readonly handler: AnyWebhookHandler<R>;
}

export interface Processed<R> {
  readonly id: string | undefined;
  readonly handled: Handled<R>;
}

/** Verifies a delivery, finds its id, and handles it once. It never throws. */
export async function processDelivery<R>(
  processor: Processor<R>,
  delivery: ReceivedWebhook,
  callOptions: CallOptions,
): Promise<Processed<R>> {
  let id: string | undefined;
  try {
    await checkSignature(processor.verify, delivery);
    id = deliveryIdAt(processor.place, delivery);
    return { id, handled: { outcome: await run(processor, id, delivery, callOptions) } };
  } catch (thrown) {
    return { id, handled: { thrown } };
  }
}

async function checkSignature(verify: Verify | 'already-verified', delivery: ReceivedWebhook): Promise<void> {
  if (verify === 'already-verified') return;
  let verified: unknown;
  try {
    verified = await verify(copyOf(delivery));
  } catch (error) {
    if (error instanceof VerifyConfigError) throw error;
    throw new UnverifiedError(
      `the delivery is not verified: verify threw (${nameOfThrown(error)}). If that is a fault of verify and no ` +
        'bad signature, correct verify, or have it throw a VerifyConfigError',
      causeOf(error),
    );
  }
  if (verified !== true)
    throw new UnverifiedError('the delivery is not verified: verify did not return true');
}

function run<R>(
  { call, schema, parse, handler, fingerprint }: Processor<R>,
  id: string,
  delivery: ReceivedWebhook,
  callOptions: CallOptions,
): Promise<Outcome<R>> {
  const { headers, body } = delivery;
  const how: ParseOption<Buffer, unknown> = {
    parse: () => parse(body.toString()),
    ...(schema === undefined ? {} : { schema }),
  };
  const handle: Handler<unknown, R, unknown[]> = (payload, attempt, ...extra) =>
    handler(payload as never, { ...attempt, headers }, ...(extra as never[]));
  const compared = copyOf(delivery);
  const options = { ...how, ...fingerprintOptionsFor(fingerprint, compared), ...callOptions };
  return call(id, compared.body, handle, options);
}
