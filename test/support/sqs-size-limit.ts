import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

interface SendMessage {
  readonly MessageBody: string;
  readonly MessageAttributes?: Readonly<
    Record<
      string,
      { readonly DataType: string; readonly StringValue?: string; readonly BinaryValue?: string }
    >
  >;
}

/**
 * The URL of a proxy that refuses messages as SQS does. Their size is that of the body and of each attribute's name,
 * type and value; ElasticMQ counts bodies only.
 */
export async function sqsWithSizeLimit(endpoint: string, maxBytes: number): Promise<string> {
  const server = createServer((incoming, outgoing) => void handle(endpoint, maxBytes, incoming, outgoing));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function handle(
  endpoint: string,
  maxBytes: number,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const body = await buffer(incoming);
  const isSend = incoming.headers['x-amz-target'] === 'AmazonSQS.SendMessage';
  if (isSend && sizeOf(JSON.parse(body.toString()) as SendMessage) > maxBytes) {
    outgoing.writeHead(400, { 'x-amzn-query-error': 'InvalidParameterValue;Sender' }).end(
      JSON.stringify({
        __type: 'com.amazon.coral.service#InvalidParameterValueException',
        message: `One or more parameters are invalid. Reason: Message must be shorter than ${maxBytes} bytes.`,
      }),
    );
    return;
  }
  const { method, headers, url } = incoming;
  const forwarded = request(new URL(url ?? '/', endpoint), { method, headers }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(outgoing);
  });
  forwarded.on('error', () => outgoing.destroy());
  forwarded.end(body);
}

function sizeOf({ MessageBody, MessageAttributes = {} }: SendMessage): number {
  let bytes = Buffer.byteLength(MessageBody);
  for (const [name, { DataType, StringValue = '', BinaryValue = '' }] of Object.entries(MessageAttributes)) {
    bytes += Buffer.byteLength(name + DataType + StringValue) + Buffer.from(BinaryValue, 'base64').length;
  }
  return bytes;
}
