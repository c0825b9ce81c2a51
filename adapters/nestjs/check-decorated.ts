import { Reflector } from '@nestjs/core';
import { InvalidOptionsError, type OptionIssue } from '../../src/index.ts';

/** A decorator of methods, and the key of its metadata. */
export interface HandlerDecorator {
  readonly key: string;
  readonly decorator: string;
}

/** What a compiler gives a decorator. TypeScript's types hold for its own decorators of methods alone. */
interface Decorated {
  readonly target: object;
  readonly method: unknown;
  readonly descriptor: { readonly value?: unknown } | undefined;
}

const NOT_A_METHOD =
  'must be on a method of a provider, not on a static method or a property; compile with experimentalDecorators';
const NOT_A_NAME =
  'must be a non-empty string; a constant from a circular import is undefined when the class is declared';

const reflector = new Reflector();

/** Throws `InvalidOptionsError` unless the module would find the method by this name. */
export function checkDecorated(
  { key, decorator }: HandlerDecorator,
  name: unknown,
  decorated: Decorated,
): void {
  const issue = faultOf(key, name, decorated);
  if (issue !== undefined) throw new InvalidOptionsError(`${decorator} on ${whereOf(decorated)}`, [issue]);
}

function faultOf(
  key: string,
  name: unknown,
  { target, method, descriptor }: Decorated,
): OptionIssue | undefined {
  const run = descriptor?.value;
  if (typeof target === 'function' || typeof method !== 'string' || typeof run !== 'function') {
    return { field: '', message: NOT_A_METHOD };
  }
  if (typeof name !== 'string' || name === '') return { field: 'name', message: NOT_A_NAME };
  const other = reflector.get<string | undefined>(key, run);
  if (other === undefined) return undefined;
  return {
    field: '',
    message: `is used twice, for '${other}' and '${name}'; give each its own method`,
  };
}

function whereOf({ target, method }: Decorated): string {
  const owner = typeof target === 'function' ? target.name : target.constructor.name;
  return typeof method === 'string' || typeof method === 'symbol' ? `${owner}.${String(method)}` : owner;
}
