/** What the examples use of a package that is installed in a folder of its own. */
declare module '@confluentinc/kafka-javascript' {
  interface Connection {
    connect(): Promise<void>;
    disconnect(): Promise<void>;
  }
  const confluent: import('handle-once/kafka-confluent').ConfluentPackage & {
    readonly KafkaJS: {
      readonly Kafka: new (config: object) => {
        admin(): Connection & import('handle-once/kafka-confluent').ConfluentAdmin;
        producer(): Connection & import('handle-once/kafka-confluent').ConfluentProducer;
      };
    };
  };
  export default confluent;
}
