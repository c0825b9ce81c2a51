import { filesIn } from '../architecture/source-files.ts';
import { documents, textOf } from './documents.ts';

/** A TypeScript example of the documentation. */
export interface Snippet {
  /** The file, and the number of the example in it. */
  readonly where: string;
  readonly code: string;
}

const FENCED = /^```ts\n(.*?)^```/gms;
const COMMENT = /^ *\/\*\*$.*?^ *\*\/$/gms;
const COMMENT_MARGIN = /^ *\* ?/gm;

/** The examples of the README and of all pages. */
export function allDocumentSnippets(): Snippet[] {
  return documents().flatMap(documentSnippets);
}

/** The examples of a document. */
export function documentSnippets(file: string): Snippet[] {
  return fencedIn(file, textOf(file));
}

/** The examples in the docstrings of a folder's files. */
export function docstringSnippets(folder: string): Snippet[] {
  return filesIn(folder).flatMap((file) =>
    [...textOf(file).matchAll(COMMENT)].flatMap(([comment]) =>
      fencedIn(file, comment.replaceAll(COMMENT_MARGIN, '')),
    ),
  );
}

function fencedIn(file: string, text: string): Snippet[] {
  return [...text.matchAll(FENCED)].map(([, code = ''], index) => ({
    where: `${file} example ${index + 1}`,
    code,
  }));
}
