/** What the examples use of a package that is installed in a folder of its own. */
declare module '@confluentinc/kafka-javascript' {
  import type { ConfluentAdmin, ConfluentPackage, ConfluentProducer } from 'handle-once/kafka-confluent';

  interface Connection {
    connect(): Promise<void>;
    disconnect(): Promise<void>;
  }
  const confluent: ConfluentPackage & {
    readonly KafkaJS: {
      readonly Kafka: new (config: object) => {
        admin(): Connection & ConfluentAdmin;
        producer(): Connection & ConfluentProducer;
      };
    };
  };
  export default confluent;
}
