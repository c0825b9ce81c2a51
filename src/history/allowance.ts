/** So many in each second, in monotonic milliseconds. */
export function createAllowance(perSecond: number): (now: number) => boolean {
  let secondEndsAt = 0;
  let used = 0;
  return (now) => {
    if (now >= secondEndsAt) {
      secondEndsAt = now + 1_000;
      used = 0;
    }
    used += 1;
    return used <= perSecond;
  };
}
