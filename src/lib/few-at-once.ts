/** The results of work on each item, in their order, at most `most` at once. After an error no more is started. */
export async function fewAtOnce<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;

  async function takeAll(): Promise<void> {
    while (next < items.length) {
      const index = next;
      next += 1;
      try {
        results[index] = await work(items[index] as Item);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  }

  await Promise.all(Array.from({ length: Math.min(most, items.length) }, takeAll));
  return results;
}
