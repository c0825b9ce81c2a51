import type { Store } from '../../../src/store/store.ts';

const LONGEST_TEXT = 200;

/** The same store, which records each call and its answer. */
export function recordedStore(store: Store, calls: string[]): Store {
  async function recorded<Reply>(call: string, answer: () => Promise<Reply>): Promise<Reply> {
    const place = calls.push(`${call}: no answer yet`) - 1;
    try {
      const reply = await answer();
      calls[place] = `${call}: ${textOf(reply)}`;
      return reply;
    } catch (error) {
      calls[place] = `${call} threw ${String(error)}`;
      throw error;
    }
  }
  const lookup = store.lookup?.bind(store);
  const check = store.check?.bind(store);
  const keep = store.keep?.bind(store);
  return {
    claim: (requests, terms) => recorded(`claim ${textOf(requests)}`, () => store.claim(requests, terms)),
    settle: (requests, scope) => recorded(`settle ${textOf(requests)}`, () => store.settle(requests, scope)),
    extend: (requests, terms) => recorded(`extend ${textOf(requests)}`, () => store.extend(requests, terms)),
    ...(keep && {
      keep: (requests, scope) => recorded(`keep ${textOf(requests)}`, () => keep(requests, scope)),
    }),
    ...(lookup && { lookup: (key, scope) => recorded(`lookup ${textOf(key)}`, () => lookup(key, scope)) }),
    ...(check && { check: () => recorded('check', check) }),
  };
}

/** Some keys and results of the contract are long. */
function textOf(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined || text.length <= LONGEST_TEXT) return String(text);
  return `${text.slice(0, LONGEST_TEXT)}…`;
}
