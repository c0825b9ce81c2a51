import { messageReader } from './message-reader.ts';

/** Counts messages of some types in one direction of a Postgres connection. */
export function messageCounter(types: string, from: 'client' | 'server'): (chunk: Buffer) => number {
  let count = 0;
  const read = messageReader(from, (type) => {
    if (types.includes(type)) count += 1;
  });
  return (chunk) => {
    count = 0;
    read(chunk);
    return count;
  };
}
