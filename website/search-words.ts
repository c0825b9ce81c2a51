/** Words that people search for and that a section does not use, by page and anchor. */
export const SEARCH_WORDS: Readonly<Record<string, string>> = {
  'SECURITY.md#what-is-stored': 'PII encryption who can see payloads',
  'SECURITY.md#delete-a-persons-data-gdpr': 'erase erasure right to be forgotten personal data',
  'docs/handle-once.md#a-handler-that-takes-20-minutes': 'long running handler slow handler hours',
  'docs/handle-once.md#not-yet': 'rate limit throttle delay 429',
  'docs/kafka.md#a-partition-does-not-move': 'consumer lag grows stuck offset skip a message',
  'docs/kafka.md#order-and-concurrency': 'throughput slow consumer',
  'docs/lambda.md#lambda': 'serverless AWS functions',
  'docs/more-sources.md#other-brokers': 'Google PubSub Azure Service Bus AMQP Redis',
  'docs/operations.md#maintenance': 'cleanup purge cron expire TTL',
  'docs/operations.md#size': 'bloat disk space storage',
  'docs/production.md#checklist': 'Kubernetes go live',
  'docs/production.md#migrations': 'install schema CI',
  'docs/runbook.md#a-message-is-stuck': 'pending forever hangs',
  'docs/runbook.md#send-dead-letters-back': 'DLQ dead-letter queue redrive',
  'docs/runbook.md#the-database-is-down': 'outage Postgres unavailable connection refused',
  'docs/runbook.md#the-table-is-too-large': 'bloat disk full cleanup purge',
  'docs/tuning.md#retention': 'TTL expire expiry how long kept',
  'docs/tuning.md#stopping': 'graceful shutdown SIGTERM Kubernetes',
  'docs/scaling.md#over-databases': 'multi region sharding',
};

/** The page as the search reads it. */
export function withSearchWords(html: string, path: string): string {
  return html.replaceAll(/<h(\d) id="([^"]+)".*?<\/h\1>/gs, (heading, _level, anchor: string) => {
    const words = SEARCH_WORDS[`${path}#${anchor}`];
    return words === undefined ? heading : `${heading}<p>${words}</p>`;
  });
}
