import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type JsonObject, parseJson } from '../../world/json.ts';

/** A webhook as it arrived. */
export type Received = {
  readonly name: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly payload: JsonObject;
};

/** A webhook receiver that answers every delivery with `status`. */
export type Receiver = {
  readonly url: string;
  readonly received: readonly Received[];
  readonly names: () => readonly string[];
  readonly close: () => void;
};

/** Starts a receiver on a free port. */
export async function startReceiver(status = 200): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const payload = parseJson(text);
      const event = String(message.headers['x-github-event']);
      const { action } = payload;
      received.push({
        name: typeof action === 'string' ? `${event}.${action}` : event,
        headers: message.headers,
        text,
        payload,
      });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    received,
    names: () => received.map(({ name }) => name),
    close: () => {
      server.close();
    },
  };
}
