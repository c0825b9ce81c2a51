import type { OptionIssue } from '../../src/index.ts';
import { DECORATORS } from './decorators.ts';
import type { FoundHandler } from './find-handlers.ts';

const KINDS = ['sqs', 'kafka'] as const;

/** What the module was given for each name. */
export type Names = Readonly<Record<FoundHandler['kind'], readonly string[]>>;

/** None where each name has settings and one handler that can run. */
export function handlerFaults(names: Names, found: readonly FoundHandler[]): OptionIssue[] {
  return [...found.flatMap((handler) => faultsOf(handler, names)), ...faultsOfNames(names, found)];
}

const MADE_OFTEN = {
  request: 'is made for each request',
  transient: 'is transient, and is made for each that it is injected into',
} as const;

function faultsOf({ kind, name, where, scope }: FoundHandler, names: Names): OptionIssue[] {
  const field = `${kind}.${name}`;
  const issues: OptionIssue[] = [];
  if (!names[kind].includes(name)) {
    issues.push({ field, message: `is missing: ${where} has ${DECORATORS[kind].decorator}('${name}')` });
  }
  if (scope !== 'singleton') {
    const fix = 'make it, and what it has injected, a singleton';
    const message = `is handled by ${where}, whose provider ${MADE_OFTEN[scope]}; ${fix}`;
    issues.push({ field, message });
  }
  return issues;
}

function faultsOfNames(names: Names, found: readonly FoundHandler[]): OptionIssue[] {
  return KINDS.flatMap((kind) =>
    names[kind].flatMap((name) => {
      const handlers = found.filter((handler) => handler.kind === kind && handler.name === name);
      const field = `${kind}.${name}`;
      if (handlers.length === 0) {
        const message = `has no handler: put ${DECORATORS[kind].decorator}('${name}') on a method of a provider`;
        return [{ field, message }];
      }
      if (handlers.length === 1) return [];
      const where = handlers.map((handler) => handler.where).join(' and ');
      return [{ field, message: `has more than one handler: ${where}` }];
    }),
  );
}
