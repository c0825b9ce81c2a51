import type { Rule } from '../../rules/rule.ts';
import { RETRY_TOPICS } from '../broker/topics.ts';

export const startsCommitted: Rule = {
  name: 'starts-committed',
  promise:
    'A partition that begins at its end is read once that is committed, or after a warning; one of a retry topic never before.',
  violatedBy(fact, { logs }) {
    if (fact.type !== 'fetched') return undefined;
    const { life, topic, partition, from } = fact;
    // A consumer of kafkajs that is stopped while it joins comes back, and handles nothing.
    if (life.isStopping) return undefined;
    const { committed, owedFrom } = logs.of(topic, partition);
    const mustWait = RETRY_TOPICS.has(topic) || (owedFrom === undefined && !logs.hasWarned(life));
    if (committed !== undefined || !mustWait) return undefined;
    return `${life.id} reads ${topic}/${partition} from ${from}, and the group has committed nothing of it`;
  },
};
