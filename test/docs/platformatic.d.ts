/** What the examples use of a package that is installed in a folder of its own. */
declare module '@platformatic/kafka' {
  import type { KafkaWorkerOptions } from 'handle-once/kafka-platformatic';

  type Options = KafkaWorkerOptions<undefined, unknown>;
  interface Closing {
    close(): Promise<void>;
  }
  export const Consumer: Options['client']['Consumer'];
  export const Producer: new (options: object) => Closing & NonNullable<Options['retry']>['producer'];
  export const Admin: new (options: object) => Closing & NonNullable<Options['admin']>;
}
