import ts from 'typescript';
import type { Source } from './sources.ts';

/** Lines with anything but comments and blanks. */
export function codeLines({ path, text }: Source): number {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(file).filter((child) => !isDocComment(child));
    children.forEach(visit);
    if (children.length > 0 || node.kind === ts.SyntaxKind.EndOfFileToken) return;
    const first = file.getLineAndCharacterOfPosition(node.getStart(file)).line;
    const last = file.getLineAndCharacterOfPosition(node.getEnd()).line;
    for (let line = first; line <= last; line += 1) lines.add(line);
  };
  visit(file);
  return lines.size;
}

function isDocComment({ kind }: ts.Node): boolean {
  return kind >= ts.SyntaxKind.FirstJSDocNode && kind <= ts.SyntaxKind.LastJSDocNode;
}

/** Files of at most so many lines of code that one other file imports: a reader opens two where one would do. */
export function smallFilesOfOneImporter(sources: readonly Source[], mostLines: number): Source[] {
  const importers = new Map<string, number>();
  for (const target of sources.flatMap(({ imports }) => [...new Set(imports)])) {
    importers.set(target, (importers.get(target) ?? 0) + 1);
  }
  return sources.filter((source) => importers.get(source.path) === 1 && codeLines(source) <= mostLines);
}
