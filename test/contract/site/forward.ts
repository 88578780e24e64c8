import { connect, createServer, type NetConnectOpts, type Server } from 'node:net';

/** A server that leads each connection to another place, and ends both sides when one fails. */
export function createForwarder(to: NetConnectOpts): Server {
  return createServer({ allowHalfOpen: true }, (inner) => {
    const outer = connect({ ...to, allowHalfOpen: true });
    const cutOff = (): void => {
      outer.destroy();
      inner.destroy();
    };
    inner.on('error', cutOff);
    outer.on('error', cutOff);
    inner.on('close', () => outer.destroy());
    outer.on('close', () => {
      if (!outer.readableEnded) cutOff();
    });
    inner.pipe(outer);
    outer.pipe(inner);
  });
}
