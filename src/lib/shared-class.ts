type ErrorClass = abstract new (...args: never[]) => Error;

const ordinary: (this: unknown, value: unknown) => boolean = Function.prototype[Symbol.hasInstance];

/**
 * Makes `instanceof` of an error class recognise what another installed copy of this package made.
 *
 * A subclass inherits the brand, but not this meaning of `instanceof`, which is unchanged for a class of the user. It
 * never throws, not even for a Proxy with traps that do.
 */
export function shareAcrossCopies(errorClass: ErrorClass, name: string): void {
  const brand = Symbol.for(`handle-once.${name}`);
  Object.defineProperty(errorClass.prototype, brand, { value: brand });
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      try {
        return this === errorClass ? isBranded(value, brand) : ordinary.call(this, value);
      } catch {
        return false;
      }
    },
  });
}

function isBranded(value: unknown, brand: symbol): boolean {
  return typeof value === 'object' && value !== null && Reflect.get(value, brand) === brand;
}
