import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, root } from '../architecture/source-files.ts';

/** A TypeScript example of the documentation. */
export interface Snippet {
  /** The file, and the line that the example starts on. */
  readonly where: string;
  readonly code: string;
}

const FENCED = /^```ts\n(.*?)^```/gms;
const COMMENT = /^ *\/\*\*$.*?^ *\*\/$/gms;
const COMMENT_MARGIN = /^ *\* ?/gm;

export function readmeSnippets(): Snippet[] {
  return documentSnippets('README.md');
}

/** The examples of a document. */
export function documentSnippets(file: string): Snippet[] {
  return fencedIn(file, readFileSync(join(root, file), 'utf8'));
}

/** The examples in the docstrings of a folder's files. */
export function docstringSnippets(folder: string): Snippet[] {
  return filesIn(folder).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [...text.matchAll(COMMENT)].flatMap(([comment]) =>
      fencedIn(file, comment.replaceAll(COMMENT_MARGIN, '')),
    );
  });
}

function fencedIn(file: string, text: string): Snippet[] {
  return [...text.matchAll(FENCED)].map(([, code = ''], index) => ({
    where: `${file} example ${index + 1}`,
    code,
  }));
}
