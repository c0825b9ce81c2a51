import { join, relative } from 'node:path';
import ts from 'typescript';
import { root } from '../architecture/source-files.ts';

/** Something that the package exports, a type that an export is made of, or a member of one. */
export interface PublicName {
  /** `file:line` of its declaration, from the project's root. */
  readonly where: string;
  /** Of a member without its owner. */
  readonly name: string;
  /** The declaration that a member is written in, exported or not. Undefined for what is no member. */
  readonly owner: string | undefined;
  /** Whether an entry of the package exports it by this name. */
  readonly isPublished: boolean;
  /** Its docstring, or that of a member of a base class or interface that it implements. Empty without one. */
  readonly docs: string;
  /** Whether it is declared by `type`. */
  readonly isAlias: boolean;
  /** Whether a member's type is written as literals: `'claimed' | 'taken-over'`. */
  readonly isLiteral: boolean;
}

/** All exports of the package's entries, the types that they are made of, and all members, each declaration once. */
export function publicNames(): PublicName[] {
  const options = projectOptions();
  const entries = Object.values(options.paths ?? {}).map(([file = '']) => join(root, file));
  const program = ts.createProgram(entries, options);
  const checker = program.getTypeChecker();
  const exported = entries.flatMap((entry) => exportsOf(checker, program.getSourceFile(entry)));
  const seen = withTheirTypes(checker, exported);
  const members = seen.flatMap((symbol) => membersOf(checker, symbol));
  const published = new Set(exported);
  const found = [...seen, ...members].map((symbol) => describe(checker, symbol, published.has(symbol)));
  return [...new Map(found.map((name) => [`${name.where} ${name.name}`, name])).values()];
}

function projectOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (name) => ts.sys.readFile(name)) as {
    config: unknown;
  };
  return ts.parseJsonConfigFileContent(config, ts.sys, root).options;
}

function exportsOf(checker: ts.TypeChecker, entry: ts.SourceFile | undefined): ts.Symbol[] {
  const module = entry && checker.getSymbolAtLocation(entry);
  if (module === undefined) throw new Error('tsconfig.json has a path that is no module');
  return checker.getExportsOfModule(module).map((symbol) => resolved(checker, symbol));
}

/** With the types that are named in these, and in those, whether they are exported or not. */
function withTheirTypes(checker: ts.TypeChecker, symbols: readonly ts.Symbol[]): ts.Symbol[] {
  const seen = new Set<ts.Symbol>();
  const add = (symbol: ts.Symbol): void => {
    if (seen.has(symbol)) return;
    seen.add(symbol);
    for (const declaration of symbol.declarations ?? []) visit(declaration);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeReferenceNode(node)) addNamed(node.typeName);
    if (ts.isExpressionWithTypeArguments(node)) addNamed(node.expression);
    if (!ts.isBlock(node)) ts.forEachChild(node, visit);
  };
  const addNamed = (name: ts.Node): void => {
    const symbol = checker.getSymbolAtLocation(name);
    if (symbol !== undefined && isOwnType(resolved(checker, symbol))) add(resolved(checker, symbol));
  };
  symbols.forEach(add);
  return [...seen];
}

function resolved(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Of this package, and known outside of its file. */
function isOwnType({ declarations: [declaration] = [] }: ts.Symbol): boolean {
  if (declaration === undefined) return false;
  const isType = ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration);
  const isExported = (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Export) !== 0;
  return isType && isExported && /^(src|adapters)\//.test(fileOf(declaration));
}

/** What users see on a type: inherited members too, and those of each alternative of a union. */
function membersOf(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol[] {
  if ((symbol.flags & ts.SymbolFlags.Type) === 0) return [];
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const alternatives = type.isUnion() ? type.types : [type];
  return alternatives.flatMap((alternative) => alternative.getProperties()).filter(isOwnMember);
}

/** Not of another package, not private, and not one that is documented where it is first declared. */
function isOwnMember({ declarations: [declaration] = [] }: ts.Symbol): boolean {
  if (declaration === undefined) return false;
  const name = ts.getNameOfDeclaration(declaration);
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Override;
  return (
    /^(src|adapters)\//.test(fileOf(declaration)) &&
    name !== undefined &&
    ts.isIdentifier(name) &&
    (ts.getCombinedModifierFlags(declaration) & hidden) === 0
  );
}

function describe(checker: ts.TypeChecker, symbol: ts.Symbol, isPublished: boolean): PublicName {
  const declaration = symbol.declarations?.[0];
  if (declaration === undefined) throw new Error(`${symbol.name} has no declaration`);
  const { line } = declaration.getSourceFile().getLineAndCharacterOfPosition(declaration.getStart());
  const owner = ownerOf(declaration);
  return {
    where: `${fileOf(declaration)}:${line + 1}`,
    name: symbol.name,
    owner,
    isPublished,
    docs: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
    isAlias: ts.isTypeAliasDeclaration(declaration),
    isLiteral:
      ts.isPropertySignature(declaration) && declaration.type !== undefined && isLiteral(declaration.type),
  };
}

function fileOf(declaration: ts.Declaration): string {
  return relative(root, declaration.getSourceFile().fileName).replaceAll('\\', '/');
}

function ownerOf(declaration: ts.Declaration): string | undefined {
  for (let node: ts.Node = declaration.parent; !ts.isSourceFile(node); node = node.parent) {
    if (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) || ts.isTypeAliasDeclaration(node)) {
      return node.name?.text;
    }
  }
  return undefined;
}

function isLiteral(type: ts.TypeNode): boolean {
  return ts.isUnionTypeNode(type) ? type.types.every(isLiteral) : ts.isLiteralTypeNode(type);
}
