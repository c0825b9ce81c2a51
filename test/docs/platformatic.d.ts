/** What the examples use of a package that is installed in a folder of its own. */
declare module '@platformatic/kafka' {
  import type {
    PlatformaticAdmin,
    PlatformaticPackage,
    PlatformaticProducer,
  } from 'handle-once/kafka-platformatic';

  interface Closing {
    close(): Promise<void>;
  }
  export const Consumer: PlatformaticPackage['Consumer'];
  export const Producer: new (options: object) => Closing & PlatformaticProducer;
  export const Admin: new (options: object) => Closing & PlatformaticAdmin;
}
