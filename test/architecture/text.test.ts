import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesIn, root } from './source-files.ts';

const MOST_COLUMNS = 120;

/** The places in files of these folders where a line is what it should not be. */
function placesOf(folders: readonly string[], isWrong: (line: string, file: string) => boolean): string[] {
  return folders.flatMap(filesIn).flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    return lines.flatMap((line, at) => (isWrong(line, file) ? [`${file}:${at + 1}`] : []));
  });
}

describe('what the formatter and the linter do not look at', () => {
  it(`a line of a comment has at most ${MOST_COLUMNS} columns, unless it has an address`, () => {
    const isLong = (line: string) =>
      line.length > MOST_COLUMNS && /^\s*(\/\/|\/?\*)/.test(line) && !line.includes('://');
    const folders = [
      'adapters',
      'bench',
      'examples',
      'migrations',
      'proof',
      'src',
      'test',
      'testing',
      'website',
    ];
    expect(placesOf(folders, isLong)).toEqual([]);
  });

  // Jest and `node:vm` give code an `Error` of its own. The command runs in neither.
  it('an error of another realm is an error: isError and isSyntaxError ask, not instanceof', () => {
    const asks = (line: string, file: string) =>
      /instanceof (Syntax)?Error\b/.test(line) && !file.startsWith('adapters/cli/');
    expect(placesOf(['src', 'adapters', 'testing'], asks)).toEqual([]);
  });
});
