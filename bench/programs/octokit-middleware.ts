import { createServer } from 'node:http';
import { createNodeMiddleware, Webhooks } from '@octokit/webhooks';
import { z } from 'zod';
import { answerCpu, serveParent } from '../child.ts';

/** The peer of row 1: the plain middleware of @octokit/webhooks with a no-op handler. */

const { secret, path } = z.object({ secret: z.string(), path: z.string() }).parse(JSON.parse(process.argv[2] ?? ''));
const webhooks = new Webhooks({ secret });
let handled = 0;
webhooks.onAny(() => {
  handled += 1;
});
const middleware = createNodeMiddleware(webhooks, { path });
const server = createServer((request, response) => void middleware(request, response));
const { promise: listening, resolve } = Promise.withResolvers<number>();
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  resolve(typeof address === 'object' && address !== null ? address.port : 0);
});

serveParent(
  {
    port: async () => ({ port: await listening }),
    cpu: answerCpu,
    drain: () => ({ handled }),
  },
  async () => {
    server.closeAllConnections();
    server.close();
  },
);
