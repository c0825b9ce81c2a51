/** What the examples use of a package that is installed in a folder of its own. */
declare module '@confluentinc/kafka-javascript' {
  import type { KafkaWorkerOptions } from 'handle-once/kafka-confluent';

  type Options = KafkaWorkerOptions<undefined, unknown>;
  interface Connection {
    connect(): Promise<void>;
    disconnect(): Promise<void>;
  }
  const confluent: Options['client'] & {
    readonly KafkaJS: {
      readonly Kafka: new (config: object) => {
        admin(): Connection & NonNullable<Options['admin']>;
        producer(): Connection & NonNullable<Options['retry']>['producer'];
      };
    };
  };
  export default confluent;
}
