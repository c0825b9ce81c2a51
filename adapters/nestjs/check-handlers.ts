import { InvalidOptionsError, type OptionIssue } from '../../src/index.ts';
import type { FoundHandler } from './find-handlers.ts';

const DECORATORS = { sqs: '@SqsHandler', kafka: '@KafkaHandler' } as const;
const KINDS = ['sqs', 'kafka'] as const;

/** What the module was given for each name. */
export type Names = Readonly<Record<FoundHandler['kind'], readonly string[]>>;

/** Throws `InvalidOptionsError` unless each name has settings and one handler that can run. */
export function checkHandlers(subject: string, names: Names, found: readonly FoundHandler[]): void {
  const issues = [...found.flatMap((handler) => faultsOf(handler, names)), ...faultsOfNames(names, found)];
  if (issues.length > 0) throw new InvalidOptionsError(subject, issues);
}

function faultsOf({ kind, name, where, isSingleton }: FoundHandler, names: Names): OptionIssue[] {
  const field = `${kind}.${name}`;
  const issues: OptionIssue[] = [];
  if (!names[kind].includes(name)) {
    issues.push({ field, message: `is missing: ${where} has ${DECORATORS[kind]}('${name}')` });
  }
  if (!isSingleton) {
    const message = `is handled by ${where}, whose provider is made for each request; make it, and what it has injected, a singleton`;
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
        const message = `has no handler: put ${DECORATORS[kind]}('${name}') on a method of a provider`;
        return [{ field, message }];
      }
      if (handlers.length === 1) return [];
      const where = handlers.map((handler) => handler.where).join(' and ');
      return [{ field, message: `has more than one handler: ${where}` }];
    }),
  );
}
