import type { OptionIssue } from '../../src/index.ts';
import { DECORATORS } from './decorators.ts';
import type { FoundHandler } from './find-handlers.ts';
import type { KafkaSettings, SqsSettings } from './options.ts';

const KINDS = ['sqs', 'kafka'] as const;

/** What the module was given for each name. */
export type Names = Readonly<Record<FoundHandler['kind'], readonly string[]>>;

/** None where each name has settings and one handler that can run. */
export function handlerFaults(names: Names, found: readonly FoundHandler[]): OptionIssue[] {
  return [...found.flatMap((handler) => faultsOf(handler, names)), ...faultsOfNames(names, found)];
}

const MADE_OFTEN = {
  request: 'is created for each request',
  transient: 'is transient, so it is created for each injection',
} as const;

function faultsOf({ kind, name, where, scope }: FoundHandler, names: Names): OptionIssue[] {
  const field = `${kind}.${name}`;
  const issues: OptionIssue[] = [];
  if (!names[kind].includes(name)) {
    issues.push({ field, message: `is missing: ${where} has ${DECORATORS[kind].decorator}('${name}')` });
  }
  if (scope !== 'singleton') {
    const fix = 'make it, and everything it injects, a singleton';
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

/** What the module was given by name. */
interface Settings {
  readonly sqs: Readonly<Record<string, SqsSettings>>;
  readonly kafka: Readonly<Record<string, KafkaSettings>>;
}

/** What two names have in common and cannot share: each message would go to either of their handlers. */
export function sharedFaults({ sqs, kafka }: Settings): OptionIssue[] {
  const queues = pairsOf(sqs, (a, b) => a.client === b.client && a.queueUrl === b.queueUrl);
  const consumers = pairsOf(kafka, (a, b) => a.consumer === b.consumer);
  return [
    ...queues.map(([first, second]) => ({
      field: `sqs.${second}.queueUrl`,
      message: `is the queue of sqs.${first} too: give each queue one name, and one handler`,
    })),
    ...consumers.map(([first, second]) => ({
      field: `kafka.${second}.consumer`,
      message: `is the consumer of kafka.${first} too: make one for each name, by kafka.consumer({ groupId })`,
    })),
  ];
}

/** Each name that has the same as one before it, and that one. */
function pairsOf<One>(
  byName: Readonly<Record<string, One>>,
  isSame: (a: One, b: One) => boolean,
): [first: string, second: string][] {
  const entries = Object.entries(byName);
  return entries.flatMap(([name, one], index) => {
    const before = entries.slice(0, index).find(([, other]) => isSame(one, other));
    return before === undefined ? [] : [[before[0], name] satisfies [string, string]];
  });
}
