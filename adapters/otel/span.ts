import {
  type Attributes,
  type Context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type TextMapGetter,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import type { BeginningAttempt, MessageSource } from '../../src/index.ts';

/** Begins the span of an attempt. */
export function startSpan(tracer: Tracer, parent: Context, attempt: BeginningAttempt): Span {
  const { scope, source } = attempt;
  const name = `process ${source?.destination ?? scope}`;
  const kind = kindOf(source, trace.getSpan(parent));
  return tracer.startSpan(name, { kind, attributes: attributesOf(attempt), links: linksOf(source) }, parent);
}

/** Ends it, with what is known only now. */
export function endSpan(span: Span, { batchSize }: BeginningAttempt): void {
  if (batchSize !== undefined) span.setAttribute('messaging.batch.message_count', batchSize);
  span.end();
}

/** What spans of an SDK have, and those of the API need not. */
interface SdkSpan {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
}

/**
 * A message has one consumer span: inside the span of another library for the same message, or of a server for what
 * comes from no broker, the attempt is internal.
 */
function kindOf(source: MessageSource | undefined, active: Span | undefined): SpanKind {
  const { kind, attributes = {} } = (active ?? {}) as SdkSpan;
  const isInMessage = kind === SpanKind.CONSUMER && attributes['messaging.operation.type'] !== 'receive';
  const isInRequest = kind === SpanKind.SERVER && source?.system === undefined;
  return isInMessage || isInRequest ? SpanKind.INTERNAL : SpanKind.CONSUMER;
}

/** As the semantic conventions call them. Undefined ones are left out by the tracer. */
function attributesOf({ scope, key, number, source }: BeginningAttempt): Attributes {
  return {
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.system': source?.system ?? 'handle_once',
    'messaging.destination.name': source?.destination,
    'messaging.message.id': source?.messageId,
    'messaging.destination.partition.id': source?.partition?.toString(),
    'messaging.kafka.offset': source?.offset === undefined ? undefined : Number(source.offset),
    'messaging.consumer.group.name': source?.consumerGroup,
    'handle_once.scope': scope,
    'handle_once.key': key,
    'handle_once.attempt': number,
  };
}

const HEADERS: TextMapGetter<MessageSource> = {
  get: ({ header }, name) => header(name),
  // Asked by propagators that look for names with a prefix, which a source cannot list.
  keys: () => [],
};

/** To the span that sent the message. */
function linksOf(source: MessageSource | undefined): Link[] {
  if (source === undefined) return [];
  const producer = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, source, HEADERS));
  return producer === undefined ? [] : [{ context: producer }];
}
