import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { serveParent } from '../child.ts';

/** The remote of row 7: git's own smart-HTTP server (`git http-backend`) behind node:http, on loopback. */

const { root } = z.object({ root: z.string() }).parse(JSON.parse(process.argv[2] ?? ''));
const TIMEOUT_MS = 600_000;

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const backend = spawn('git', ['http-backend'], {
    timeout: TIMEOUT_MS,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      ...{ PATH: process.env['PATH'], GIT_PROJECT_ROOT: root, GIT_HTTP_EXPORT_ALL: '1', GIT_CONFIG_NOSYSTEM: '1' },
      ...{ PATH_INFO: url.pathname, QUERY_STRING: url.search.slice(1), REQUEST_METHOD: request.method ?? 'GET' },
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  });
  await Promise.all([pipeline(request, backend.stdin), pipeline(backend.stdout, splitHead(response), response)]);
}

/** Strips the CGI header from the output and sends it as the response's status and headers. */
function splitHead(response: ServerResponse): (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer> {
  return async function* (source) {
    let head: Buffer | null = Buffer.alloc(0);
    for await (const chunk of source) {
      if (head === null) {
        yield chunk;
        continue;
      }
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) continue;
      writeHead(response, head.subarray(0, end).toString('latin1'));
      yield head.subarray(end + 4);
      head = null;
    }
  };
}

function writeHead(response: ServerResponse, head: string): void {
  response.statusCode = Number(/^Status: (\d+)/im.exec(head)?.[1] ?? 200);
  for (const [, name = '', value = ''] of head.matchAll(/^([^:\r\n]+): *(.*?)\r?$/gm)) {
    if (name.toLowerCase() !== 'status') response.setHeader(name, value);
  }
}

const server = createServer((request, response) => {
  serve(request, response).catch(() => response.destroy());
});
const { promise: listening, resolve } = Promise.withResolvers<number>();
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  resolve(typeof address === 'object' && address !== null ? address.port : 0);
});

serveParent({ port: async () => ({ port: await listening }) }, async () => {
  server.closeAllConnections();
  server.close();
});
