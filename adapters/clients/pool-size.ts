/** What a library tells of the size of its pool; undefined for what is no number. */
export function poolSize(max: unknown): number | undefined {
  return Number.isInteger(max) ? Number(max) : undefined;
}
