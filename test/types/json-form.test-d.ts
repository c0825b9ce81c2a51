import { expectTypeOf, test } from 'vitest';
import type { JsonForm } from 'handle-once';

class Money {
  readonly #cents: number;
  readonly currency: string;
  constructor(cents: number, currency: string) {
    this.#cents = cents;
    this.currency = currency;
  }
  format(): string {
    return `${this.#cents} ${this.currency}`;
  }
}

class Price extends Money {
  toJSON(): { text: string; at: Date } {
    return { text: this.format(), at: new Date() };
  }
}

interface Tree {
  readonly at: Date;
  readonly children: readonly Tree[];
  readonly parent?: Tree;
}

type OrderId = string & { readonly brand: 'OrderId' };

test('what is JSON stays what it is', () => {
  expectTypeOf<JsonForm<string>>().toEqualTypeOf<string>();
  expectTypeOf<JsonForm<OrderId>>().toEqualTypeOf<OrderId>();
  expectTypeOf<JsonForm<'paid' | 5 | true | null>>().toEqualTypeOf<'paid' | 5 | true | null>();
  expectTypeOf<JsonForm<undefined>>().toEqualTypeOf<undefined>();
  expectTypeOf<JsonForm<void>>().toBeVoid();
  expectTypeOf<JsonForm<{ readonly id: string; cents?: number }>>().toEqualTypeOf<{
    readonly id: string;
    cents?: number;
  }>();
  expectTypeOf<JsonForm<Record<string, number[]>>>().toEqualTypeOf<Record<string, number[]>>();
  expectTypeOf<JsonForm<readonly [string, number]>>().toEqualTypeOf<readonly [string, number]>();
});

test('what is not known stays unknown', () => {
  expectTypeOf<JsonForm<unknown>>().toBeUnknown();
  // oxlint-disable-next-line typescript/no-explicit-any
  expectTypeOf<JsonForm<any>>().toBeAny();
  expectTypeOf<JsonForm<{ payload: unknown }>>().toEqualTypeOf<{ payload: unknown }>();
});

test('what has a toJSON is what that returns, as JSON', () => {
  expectTypeOf<JsonForm<Date>>().toEqualTypeOf<string>();
  expectTypeOf<JsonForm<URL>>().toEqualTypeOf<string>();
  expectTypeOf<JsonForm<Buffer>>().toEqualTypeOf<{ type: 'Buffer'; data: number[] }>();
  expectTypeOf<JsonForm<Price>>().toEqualTypeOf<{ text: string; at: string }>();
  expectTypeOf<JsonForm<{ at: Date; sent: Date[] }>>().toEqualTypeOf<{ at: string; sent: string[] }>();
});

test('an instance of a class is its members', () => {
  expectTypeOf<JsonForm<Money>>().toEqualTypeOf<{ readonly currency: string }>();
  expectTypeOf<JsonForm<Uint8Array>>().toEqualTypeOf<Readonly<Record<number, number>>>();
});

test('what JSON cannot keep is never, also as a member', () => {
  expectTypeOf<JsonForm<Map<string, number>>>().toBeNever();
  expectTypeOf<JsonForm<ReadonlySet<string>>>().toBeNever();
  expectTypeOf<JsonForm<bigint>>().toBeNever();
  expectTypeOf<JsonForm<Promise<string>>>().toBeNever();
  expectTypeOf<JsonForm<{ id: string; totals: Map<string, number> }>>().toBeNever();
  expectTypeOf<JsonForm<{ id: string } | Map<string, number>>>().toEqualTypeOf<{ id: string }>();
  expectTypeOf<JsonForm<{ totals?: Map<string, number> }>['totals']>().toEqualTypeOf<undefined>();
});

test('functions and symbols are left out, and null in a list', () => {
  expectTypeOf<JsonForm<{ id: string; undo: () => void; [Symbol.iterator]: string }>>().toEqualTypeOf<{
    id: string;
  }>();
  expectTypeOf<JsonForm<(string | undefined)[]>>().toEqualTypeOf<(string | null)[]>();
  expectTypeOf<JsonForm<[symbol, () => void]>>().toEqualTypeOf<[null, null]>();
});

test('a type may refer to itself', () => {
  const tree = {} as JsonForm<Tree>;
  expectTypeOf(tree.at).toBeString();
  expectTypeOf(tree.children[0]?.children[0]?.at).toEqualTypeOf<string | undefined>();
  expectTypeOf(tree.parent?.parent?.at).toEqualTypeOf<string | undefined>();
});
