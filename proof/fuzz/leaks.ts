import { inspect } from 'node:util';
import { SECRET } from './values.ts';

/** All that can be seen of a value, hidden members and causes too. */
function seen(value: unknown): string {
  return inspect(value, {
    depth: 8,
    showHidden: true,
    showProxy: true,
    maxArrayLength: null,
    maxStringLength: null,
  });
}

/** Whether something that is told shows what only the payload knows. */
export function tellsSecret(told: unknown): boolean {
  return seen(told).includes(SECRET);
}

/** What an attacker would like to add to: each is the prototype of very many objects. */
const PROTOTYPES = [Object.prototype, Array.prototype, Function.prototype, String.prototype, Error.prototype];

const membersOf = (): string => PROTOTYPES.map((one) => Reflect.ownKeys(one).map(String).join()).join('|');

const MEMBERS = membersOf();

/** Whether a prototype that all share has another member than at the start. */
export function isPolluted(): boolean {
  return membersOf() !== MEMBERS;
}
