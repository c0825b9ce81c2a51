import type { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { DECORATORS } from './decorators.ts';
import type { Run } from './prepare.ts';

/** A method that a decorator names. */
export interface FoundHandler {
  readonly kind: 'sqs' | 'kafka';
  /** What its decorator was given. */
  readonly name: string;
  /** `Billing.charge`. */
  readonly where: string;
  /** How long an object of its provider lives: only a singleton does from the start to the end of the application. */
  readonly scope: 'singleton' | 'request' | 'transient';
  readonly run: Run;
}

/** Services of Nest that all applications have. */
export interface Discovery {
  readonly discovery: DiscoveryService;
  readonly scanner: MetadataScanner;
  readonly reflector: Reflector;
}

type Provider = ReturnType<DiscoveryService['getProviders']>[number];

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
  return scanner.getAllMethodNames(prototype).flatMap((method) => {
    const run = prototype?.[method];
    if (run === undefined) return [];
    return (['sqs', 'kafka'] as const).flatMap((kind) => {
      const named = methodsOf(prototype, method).map((one) =>
        reflector.get<string | undefined>(DECORATORS[kind].key, one),
      );
      const name = named.find((one) => one !== undefined);
      if (name === undefined) return [];
      const where = `${instance.constructor.name}.${method}`;
      return [{ kind, name, where, scope: scopeOf(provider), run: run.bind(instance) }];
    });
  });
}

/** The method and those that it overrides: an override without a decorator handles what they do. */
function methodsOf(prototype: object | null, method: string): Run[] {
  if (prototype === null) return [];
  const own: unknown = Object.getOwnPropertyDescriptor(prototype, method)?.value;
  const overridden = methodsOf(Object.getPrototypeOf(prototype) as object | null, method);
  return typeof own === 'function' ? [own as Run, ...overridden] : overridden;
}

function scopeOf(provider: Provider): FoundHandler['scope'] {
  if (!provider.isDependencyTreeStatic()) return 'request';
  return provider.isTransient ? 'transient' : 'singleton';
}
