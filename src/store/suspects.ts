/** Two deaths in a row are more than the bad luck of a deployment. */
const SUSPECT_DEATHS = 2;

/**
 * From how many deaths in a row on a record is a suspect: its message may be what kills the workers.
 *
 * Below `maxDeaths`, so that the death that fails a record is one of a suspect, which runs beside no other suspect.
 * With a `maxDeaths` of 1 there are no suspects: the first death fails.
 */
export function suspectFrom(maxDeaths: number): number {
  return Math.max(1, Math.min(SUSPECT_DEATHS, maxDeaths - 1));
}
