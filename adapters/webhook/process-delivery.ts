import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Handled } from '../../src/adapter-kit.ts';
import type { CallOptions, Calls, Handler, Outcome, ParseOption } from '../../src/index.ts';
import { copyOf, type ReceivedWebhook } from './delivery.ts';
import { deliveryIdAt } from './delivery-id.ts';
import { causeOf, UnverifiedError, VerifyConfigError } from './errors.ts';
import { removeMembers } from './json-pointer.ts';
import type { AnyWebhookHandler, Verify } from './options.ts';
import type { Source } from './sources.ts';

export interface Processor<R> {
  /** In the scope of the source. */
  readonly call: Calls<unknown[]>;
  readonly source: Source;
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
    id = deliveryIdAt(processor.source.place, delivery);
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
    throw new UnverifiedError('the delivery is not verified: verify threw', causeOf(error));
  }
  if (verified !== true)
    throw new UnverifiedError('the delivery is not verified: verify did not return true');
}

function run<R>(
  { call, source, schema, parse, handler }: Processor<R>,
  id: string,
  { headers, body }: ReceivedWebhook,
  callOptions: CallOptions,
): Promise<Outcome<R>> {
  const how: ParseOption<unknown, unknown> = {
    parse: () => parse(body.toString()),
    ...(schema === undefined ? {} : { schema }),
  };
  const handle: Handler<unknown, R, unknown[]> = (payload, attempt, ...extra) =>
    handler(payload as never, { ...attempt, headers }, ...(extra as never[]));
  return call(id, comparable(body, source.volatile), handle, { ...how, ...callOptions });
}

/** What has to be the same each time that an id comes: the body, without what its sender may change in it. */
function comparable(body: Buffer, volatile: readonly string[]): unknown {
  if (volatile.length === 0) return body;
  try {
    const document: unknown = JSON.parse(body.toString());
    removeMembers(document, volatile);
    return document;
  } catch {
    return body;
  }
}
