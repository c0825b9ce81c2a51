import { printable } from './printable.ts';

/** What was thrown, whatever it is, in one line. */
export function inOneLine(thrown: unknown): string {
  try {
    const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
    return printable(text.split('\n')[0] ?? '');
  } catch {
    return 'a value that cannot be printed was thrown';
  }
}
