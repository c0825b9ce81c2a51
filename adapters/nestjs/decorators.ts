import { Inject, SetMetadata } from '@nestjs/common';
import { checkDecorated, type HandlerDecorator } from './check-decorated.ts';

/** The token of the module's `handleOnce`, for providers that are not classes. */
export const HANDLE_ONCE = Symbol('handle-once: handleOnce');

/** Under its key a method has the name of what it handles. */
export const DECORATORS = {
  sqs: { key: 'handle-once:sqs', decorator: '@OnSqsMessage' },
  kafka: { key: 'handle-once:kafka', decorator: '@OnKafkaMessage' },
} as const satisfies Record<string, HandlerDecorator>;

/**
 * Marks the method that handles the messages of a queue: `sqs` of the module has its settings under this name.
 *
 * Throws `InvalidOptionsError` for a name that is not a string or is empty, for a second one on a method, and on
 * anything but a method of a provider.
 *
 * It is called with `(payload, attempt)`, and the transaction as third argument with `inTransaction`. With `batch` it
 * gets lists of both.
 *
 * @example
 * ```ts
 * @Injectable()
 * class Billing {
 *   @OnSqsMessage('orders')
 *   async charge(order: Order, attempt: Attempt) {
 *     await charge(order, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
 *   }
 * }
 * ```
 */
export function OnSqsMessage(name: string): MethodDecorator {
  return named(DECORATORS.sqs, name);
}

/**
 * Marks the method that handles the messages of Kafka topics: `kafka` of the module has their settings under this name.
 *
 * Throws `InvalidOptionsError` for a name that is not a string or is empty, for a second one on a method, and on
 * anything but a method of a provider.
 *
 * It is called with `(delivery, attempt)`, and the transaction as third argument with `inTransaction`. With `batch` it
 * gets lists of both.
 *
 * @example
 * ```ts
 * @Injectable()
 * class Shipping {
 *   @OnKafkaMessage('payments')
 *   async ship({ payload }: KafkaDelivery<Order>) {
 *     await ship(payload);
 *   }
 * }
 * ```
 */
export function OnKafkaMessage(name: string): MethodDecorator {
  return named(DECORATORS.kafka, name);
}

function named(kind: HandlerDecorator, name: string): MethodDecorator {
  return (target, method, descriptor) => {
    checkDecorated(kind, name, { target, method, descriptor });
    SetMetadata(kind.key, name)(target, method, descriptor);
  };
}

/**
 * Injects the `handleOnce` that the module was given.
 *
 * @example
 * ```ts
 * @Injectable()
 * class Refunds {
 *   readonly #handleOnce: HandleOnce;
 *
 *   constructor(@InjectHandleOnce() handleOnce: HandleOnce) {
 *     this.#handleOnce = handleOnce;
 *   }
 *
 *   refund(order: Order) {
 *     return this.#handleOnce(order.orderId, order, () => ship(order));
 *   }
 * }
 * ```
 */
export function InjectHandleOnce(): ParameterDecorator {
  return Inject(HANDLE_ONCE);
}
