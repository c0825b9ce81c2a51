import { printable } from '../../src/adapter-kit.ts';

export { printable };

/** As JSON, with text as harmless as in a table. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).split('\n').map(printable).join('\n');
}
