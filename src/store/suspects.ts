/** Two deaths in a row are more than the bad luck of a deployment. */
const SUSPECT_DEATHS = 2;

/**
 * The number of deaths in a row from which a record is a suspect: its message may be what kills the workers.
 *
 * Below `maxDeaths`, so that the death that fails a record is the death of a suspect, which runs alone. With a
 * `maxDeaths` of 1 there are no suspects: the first death fails.
 */
export function suspectFrom(maxDeaths: number): number {
  return Math.max(1, Math.min(SUSPECT_DEATHS, maxDeaths - 1));
}
