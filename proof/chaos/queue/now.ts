/** Milliseconds on the monotonic clock of the machine: the same for all its processes, whatever their wall clocks. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
