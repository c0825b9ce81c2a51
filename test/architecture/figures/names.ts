import { join } from 'node:path';
import ts from 'typescript';
import type { Source } from './sources.ts';

/** The names that are exported where they are declared. */
export function exportedNames(sources: readonly Source[]): Set<string> {
  return new Set(sources.flatMap(namesOf));
}

function namesOf({ path, text }: Source): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  return file.statements.filter(isExported).flatMap((statement) => {
    if (!ts.isVariableStatement(statement)) return nameOf(statement) ?? [];
    return statement.declarationList.declarations.map(({ name }) => (ts.isIdentifier(name) ? name.text : ''));
  });
}

function isExported(statement: ts.Statement): boolean {
  if (!ts.canHaveModifiers(statement)) return false;
  return ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function nameOf(statement: ts.Statement): string | undefined {
  return 'name' in statement ? (statement.name as ts.Identifier | undefined)?.text : undefined;
}

/** The entry points of the package, from the root of the checkout, and the options that compile them. */
export function packageOf(root: string): { entries: Map<string, string>; options: ts.CompilerOptions } {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: { paths: Record<string, [string]> } };
  };
  const { compilerOptions } = config.config;
  const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, root);
  const entries = Object.entries(compilerOptions.paths).map(([name, [path]]) => [name, path] as const);
  return { entries: new Map(entries), options };
}

/** How many values and how many types these files export, each counted once. */
export function exportsOf(
  root: string,
  files: readonly string[],
  options: ts.CompilerOptions,
): { values: number; types: number } {
  const program = ts.createProgram(
    files.map((file) => join(root, file)),
    { ...options, noEmit: true },
  );
  const checker = program.getTypeChecker();
  const symbols = new Set(
    files.flatMap((file) => {
      const source = program.getSourceFile(join(root, file));
      const module = source && checker.getSymbolAtLocation(source);
      if (module === undefined) return [];
      return checker
        .getExportsOfModule(module)
        .map((symbol) => (isAlias(symbol) ? checker.getAliasedSymbol(symbol) : symbol));
    }),
  );
  const values = [...symbols].filter(({ flags }) => (flags & ts.SymbolFlags.Value) !== 0).length;
  return { values, types: symbols.size - values };
}

function isAlias({ flags }: ts.Symbol): boolean {
  return (flags & ts.SymbolFlags.Alias) !== 0;
}
