/**
 * How far a batch is settled without a gap.
 *
 * Messages of a batch can end in any order, and the client takes the last offset that it is told, not the highest. So
 * an offset is told only when everything before it is settled too. Offsets are never computed: they have gaps.
 */
export interface SettledPrefix {
  settle(index: number): void;
}

export function createSettledPrefix(
  messages: readonly { readonly offset: string }[],
  resolveOffset: (offset: string) => void,
): SettledPrefix {
  const settled = new Set<number>();
  let next = 0;
  return {
    settle(index) {
      settled.add(index);
      const before = next;
      while (settled.delete(next)) next += 1;
      const last = messages[next - 1];
      if (next > before && last !== undefined) resolveOffset(last.offset);
    },
  };
}
