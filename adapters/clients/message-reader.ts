const HEADER_BYTES = 5;

/**
 * Reads the types of messages in one direction of a Postgres connection, each with the first byte of its body where it
 * has one. The first message of a client has no type; all others are a type, a length that includes itself, and a body.
 */
export function messageReader(
  from: 'client' | 'server',
  onMessage: (type: string, first: number | undefined) => void,
): (chunk: Buffer) => void {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerBytes = from === 'client' ? 1 : 0;
  let bodyBytes = 0;
  let isPending = false;

  function emit(first: number | undefined): void {
    isPending = false;
    onMessage(String.fromCharCode(header[0] as number), first);
  }

  return (chunk) => {
    for (let at = 0; at < chunk.length;) {
      if (bodyBytes > 0) {
        if (isPending) emit(chunk[at]);
        const passed = Math.min(bodyBytes, chunk.length - at);
        bodyBytes -= passed;
        at += passed;
        continue;
      }
      header[headerBytes++] = chunk[at++] as number;
      if (headerBytes < HEADER_BYTES) continue;
      headerBytes = 0;
      bodyBytes = header.readInt32BE(1) - 4;
      isPending = true;
      if (bodyBytes === 0) emit(undefined);
    }
  };
}
