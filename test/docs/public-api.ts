import { join, relative } from 'node:path';
import ts from 'typescript';
import { root } from '../architecture/source-files.ts';
import { projectOptions } from './type-errors.ts';

/** Something that the package exports, or a member of it. */
export interface PublicName {
  /** `file:line` of its declaration, from the project's root. */
  readonly where: string;
  /** Of a member without its owner. */
  readonly name: string;
  /** The declaration that a member is written in, which need not be exported itself. Undefined for an export. */
  readonly owner: string | undefined;
  /** Its docstring, or that of a member of a base class or interface that it implements. Empty without one. */
  readonly docs: string;
  /** Whether it is declared by `type`. */
  readonly isAlias: boolean;
  /** Whether a member's type is written as literals: `'claimed' | 'taken-over'`. */
  readonly isLiteral: boolean;
}

/** All exports of the package's entries, and the members of their types, each declaration once. */
export function publicNames(): PublicName[] {
  const options = projectOptions();
  const entries = Object.values(options.paths ?? {}).map(([file = '']) => join(root, file));
  const program = ts.createProgram(entries, options);
  const checker = program.getTypeChecker();
  const exported = entries.flatMap((entry) => exportsOf(checker, program.getSourceFile(entry)));
  const members = exported.flatMap((symbol) => membersOf(checker, symbol));
  const found = [...exported, ...members].map((symbol) => describe(checker, symbol));
  return [...new Map(found.map((name) => [`${name.where} ${name.name}`, name])).values()];
}

function exportsOf(checker: ts.TypeChecker, entry: ts.SourceFile | undefined): ts.Symbol[] {
  const module = entry && checker.getSymbolAtLocation(entry);
  if (module === undefined) throw new Error('tsconfig.json has a path that is no module');
  return checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
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

function describe(checker: ts.TypeChecker, symbol: ts.Symbol): PublicName {
  const declaration = symbol.declarations?.[0];
  if (declaration === undefined) throw new Error(`${symbol.name} has no declaration`);
  const { line } = declaration.getSourceFile().getLineAndCharacterOfPosition(declaration.getStart());
  const owner = ownerOf(declaration);
  return {
    where: `${fileOf(declaration)}:${line + 1}`,
    name: symbol.name,
    owner,
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
