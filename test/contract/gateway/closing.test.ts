import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { aMessage, openGateway, startUpstream } from './gateway-fixture.ts';

it.each([
  ['a CONNECT', 'CONNECT 127.0.0.1:1 HTTP/1.1\r\nhost: a\r\n\r\n', 405],
  ['an upgrade', 'GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n', 426],
  ['what is no request', 'nothing\r\n\r\n', 400],
])('a session ends though its agent keeps its side of %s open', async (_what, request, status) => {
  const upstream = await startUpstream((response) => void response.end(aMessage()));
  onTestFinished(upstream.close);
  const { session, remove } = await openGateway(upstream.url);
  onTestFinished(remove);
  const socket = connect({ path: session.socketPath, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString();
  });
  socket.write(request);
  await once(socket, 'end');

  expect((await session.close()).calls).toBe(0);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} `));
  expect(upstream.requests).toEqual([]);
});
