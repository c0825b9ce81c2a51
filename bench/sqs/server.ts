import { startElasticMq } from '../../test/support/services/elasticmq.ts';
import { startFauxqs } from '../../test/support/services/fauxqs.ts';
import { NoServiceError, type Service } from '../../test/support/services/service.ts';

export interface SqsServer extends Service {
  readonly name: string;
}

/** A server in a process of its own, if one can be had: one in this process takes its share of our CPU. */
export async function startSqsServer(): Promise<SqsServer> {
  try {
    return { name: 'ElasticMQ', ...(await startElasticMq()) };
  } catch (error) {
    if (!(error instanceof NoServiceError)) throw error;
    return { name: 'fauxqs, in the same process', ...(await startFauxqs()) };
  }
}
