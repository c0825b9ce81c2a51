const HEADER_BYTES = 5;

/**
 * Counts messages of some types in one direction of a Postgres connection. The first message of a client has no type;
 * all others are a type, a length that includes itself, and a body.
 */
export function messageCounter(types: string, from: 'client' | 'server'): (chunk: Buffer) => number {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerBytes = from === 'client' ? 1 : 0;
  let bodyBytes = 0;

  return (chunk) => {
    let count = 0;
    for (let at = 0; at < chunk.length;) {
      const passed = Math.min(bodyBytes, chunk.length - at);
      bodyBytes -= passed;
      at += passed;
      if (at === chunk.length) break;
      header[headerBytes++] = chunk[at++] as number;
      if (headerBytes < HEADER_BYTES) continue;
      headerBytes = 0;
      bodyBytes = header.readInt32BE(1) - 4;
      if (types.includes(String.fromCharCode(header[0] as number))) count += 1;
    }
    return count;
  };
}
