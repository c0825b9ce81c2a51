import type { KafkaProducer } from '../../../../adapters/kafka/log/kafkajs-types.ts';
import type { LogHeaders } from '../../../../adapters/shared/kafka/retry-copy.ts';
import type { Life } from '../../time/life.ts';
import type { Broker } from '../broker/broker.ts';
import type { Link } from './link.ts';
import { retrying } from './retrier.ts';

/** A copy as a broker gets it. */
export interface Copy {
  readonly topic: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: LogHeaders;
}

/** `land` is called where a copy lands: more than once where replies are lost. */
export function createProducer(
  { clock }: Life,
  link: Link,
  broker: Broker,
  retries: number,
  land: (copy: Copy, isFirst: boolean) => void,
): KafkaProducer {
  return {
    async send({ topic, messages }) {
      let isFirst = true;
      const sendOnce = (): Promise<undefined> =>
        link.request<undefined>((answer) => {
          const refusal = broker.refusalOf(`write to ${topic}`);
          if (refusal !== undefined) {
            answer(refusal);
            return;
          }
          for (const { key, value, headers } of messages) {
            land({ topic, key, value, headers: read(headers) }, isFirst);
          }
          isFirst = false;
          answer(undefined);
        });
      await retrying(clock, sendOnce, retries);
    },
  };
}

/** As a fetch gives them. */
function read(headers: LogHeaders): LogHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? Buffer.from(value) : value,
    ]),
  );
}
