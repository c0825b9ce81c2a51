import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../architecture/source-files.ts';
import type { Snippet } from './snippets.ts';

const PRELUDE = ['prelude', 'confluent', 'platformatic', 'stripe'].map((name) =>
  join(root, `test/docs/${name}.d.ts`),
);
/** What every program shares: the libraries and the project. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** A host that parses a file once for all programs. */
export function parsingOnce(options: ts.CompilerOptions): ts.CompilerHost {
  const disk = ts.createCompilerHost(options);
  return {
    ...disk,
    getSourceFile(name, ...rest) {
      if (!parsed.has(name)) parsed.set(name, disk.getSourceFile(name, ...rest));
      return parsed.get(name);
    },
  };
}

/** Compiles examples under the project's own strict options. Returns what the compiler says, by example. */
export function typeErrors(
  snippets: readonly (Snippet & { readonly imports?: string })[],
  imports = '',
): string[] {
  const files = new Map(
    snippets.map((snippet, index) => [
      join(root, `snippet-${index}.ts`),
      { where: snippet.where, text: withImports(snippet.code, snippet.imports ?? imports) },
    ]),
  );
  const options = projectOptions();
  const disk = parsingOnce(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (name) => files.has(name) || disk.fileExists(name),
    readFile: (name) => files.get(name)?.text ?? disk.readFile(name),
    getSourceFile(name, languageVersion, ...rest) {
      const file = files.get(name);
      if (file !== undefined) return ts.createSourceFile(name, file.text, languageVersion);
      return disk.getSourceFile(name, languageVersion, ...rest);
    },
  };
  const program = ts.createProgram({ rootNames: [...PRELUDE, ...files.keys()], options, host });
  // What they import is checked with the project.
  return [...files].flatMap(([name, { where }]) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(name))
      .map(({ messageText }) => `${where}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`),
  );
}

/** An example that shows no imports gets those of the package's own names. */
function withImports(code: string, imports: string): string {
  return code.startsWith('import ') ? `${code}\nexport {};` : `${imports}\n${code}\nexport {};`;
}

export function projectOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (name) => ts.sys.readFile(name)) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  return { ...options, noUnusedLocals: false, types: ['node'] };
}
