/** Splits a stream of the Postgres protocol into its messages: a type, a length, a body. */
export function messageReader(onMessage: (type: string, message: Buffer) => void): (chunk: Buffer) => void {
  let unread = Buffer.alloc(0);
  return (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    while (unread.length >= 5 && unread.length > unread.readInt32BE(1)) {
      const message = unread.subarray(0, unread.readInt32BE(1) + 1);
      unread = unread.subarray(message.length);
      onMessage(String.fromCharCode(message[0] ?? 0), message);
    }
  };
}
