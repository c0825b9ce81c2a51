import { printable } from './printable.ts';
import { quoted } from '../operations/quoted.ts';

/** Rows as a table of text, one line each, below their names. Scopes can be pasted into a command. */
export function tableOf(rows: readonly Readonly<Record<string, string>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, ...rows.map((row) => names.map((name) => printable(cellOf(name, row[name] ?? ''))))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cellOf(name: string, text: string): string {
  return name === 'scope' && text !== '' ? quoted(text) : text;
}
