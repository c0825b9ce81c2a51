/** Milliseconds on a clock that the processes of a machine share; that of `performance` begins with its process. */
export function sharedClock(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}
