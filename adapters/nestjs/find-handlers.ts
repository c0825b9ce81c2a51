import type { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { KAFKA_HANDLER, SQS_HANDLER } from './decorators.ts';
import type { Run } from './running.ts';

/** A method that a decorator names. */
export interface FoundHandler {
  readonly kind: 'sqs' | 'kafka';
  /** What its decorator was given. */
  readonly name: string;
  /** `Billing.charge`. */
  readonly where: string;
  /** Whether its provider is one object from the start to the end of the application. */
  readonly isSingleton: boolean;
  readonly run: Run;
}

/** Services of Nest that all applications have. */
export interface Discovery {
  readonly discovery: DiscoveryService;
  readonly scanner: MetadataScanner;
  readonly reflector: Reflector;
}

type Provider = ReturnType<DiscoveryService['getProviders']>[number];

const KINDS = { sqs: SQS_HANDLER, kafka: KAFKA_HANDLER } as const;

/** The handlers of all providers and controllers. One that has several tokens counts once. */
export function findHandlers(services: Discovery): FoundHandler[] {
  const { discovery } = services;
  const providers = [...discovery.getProviders(), ...discovery.getControllers()];
  const byInstance = new Map(providers.map((provider) => [provider.instance as unknown, provider]));
  return [...byInstance].flatMap(([instance, provider]) =>
    typeof instance === 'object' && instance !== null ? handlersOf(instance, provider, services) : [],
  );
}

function handlersOf(instance: object, provider: Provider, { scanner, reflector }: Discovery): FoundHandler[] {
  const prototype = Object.getPrototypeOf(instance) as Record<string, Run> | null;
  const isSingleton = provider.isDependencyTreeStatic() && !provider.isTransient;
  return scanner.getAllMethodNames(prototype).flatMap((method) => {
    const run = prototype?.[method];
    if (run === undefined) return [];
    return (['sqs', 'kafka'] as const).flatMap((kind) => {
      const name = reflector.get<string | undefined>(KINDS[kind], run);
      if (name === undefined) return [];
      const where = `${instance.constructor.name}.${method}`;
      return [{ kind, name, where, isSingleton, run: run.bind(instance) }];
    });
  });
}
