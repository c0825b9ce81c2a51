import 'reflect-metadata';
import { InvalidOptionsError } from 'handle-once';
import { OnKafkaMessage, OnSqsMessage } from 'handle-once/nestjs';
import { describe, expect, it } from 'vitest';

const METHOD =
  'must be on a method of a provider, not on a static method or a property; compile with experimentalDecorators';

class Billing {
  readonly kind = 'not decorated';
}

function charge(): string {
  return 'charged';
}

/** What a class is refused with where it is declared. */
function messageOf(declare: () => unknown): string {
  try {
    declare();
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.message;
    throw error;
  }
  throw new Error('the class was not refused');
}

describe.each([
  ['@OnSqsMessage', OnSqsMessage],
  ['@OnKafkaMessage', OnKafkaMessage],
])('%s is refused where it is applied', (decorator, Handler) => {
  it.each([undefined, null, '', 7])('for the name %j', (name) => {
    const message = messageOf(() => {
      class Billing {
        @Handler(name as never)
        charge(): string {
          return 'charged';
        }
      }
      return Billing;
    });
    expect(message).toMatch(`${decorator} on Billing.charge: name: must be a non-empty string`);
  });

  it('for a second one on its method', () => {
    const message = messageOf(() => {
      class Billing {
        @Handler('orders')
        @Handler('refunds')
        charge(): string {
          return 'charged';
        }
      }
      return Billing;
    });
    expect(message).toBe(
      `${decorator} on Billing.charge: is used twice, for 'refunds' and 'orders'; give each its own method`,
    );
  });

  it('for a static method', () => {
    const message = messageOf(() => {
      class Billing {
        @Handler('orders')
        static charge(): string {
          return 'charged';
        }

        readonly kind = 'static';
      }
      return Billing;
    });
    expect(message).toBe(`${decorator} on Billing.charge: ${METHOD}`);
  });

  it.each<[string, unknown[], string]>([
    ['a property', [{ constructor: { name: 'Billing' } }, 'charge'], 'Billing.charge'],
    ['a class', [Billing], 'Billing'],
    ['a symbol', [new Billing(), Symbol('charge'), { value: charge }], 'Billing.Symbol(charge)'],
    ['a decorator of the standard', [charge, { kind: 'method' }], 'charge'],
  ])('for %s', (_, given, where) => {
    const apply = Handler('orders') as (...given: unknown[]) => unknown;
    expect(messageOf(() => apply(...given))).toBe(`${decorator} on ${where}: ${METHOD}`);
  });
});

it('one method can handle messages of a queue and of topics', () => {
  class Billing {
    @OnSqsMessage('orders')
    @OnKafkaMessage('orders')
    charge(): string {
      return 'charged';
    }
  }
  expect(Billing).toBeDefined();
});
