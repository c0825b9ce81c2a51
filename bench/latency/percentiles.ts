export const PERCENTILES = [
  { name: 'p50', share: 0.5 },
  { name: 'p99', share: 0.99 },
] as const;

export const LATENCIES = ['p50 added', 'p99 added', 'p50', 'p99'] as const;
/** In milliseconds; what is added is the difference to the base of a round. */
export type Latency = (typeof LATENCIES)[number];
