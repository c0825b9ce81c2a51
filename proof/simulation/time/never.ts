/** What those wait for whose process is dead. */
export function never<Result>(): Promise<Result> {
  return new Promise(() => undefined);
}
