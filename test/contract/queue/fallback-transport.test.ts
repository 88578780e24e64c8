import { describe, expect, it } from 'vitest';
import { createEmbeddedTransport } from '../../../src/adapters/queue/create-embedded-transport.ts';
import { createFallbackTransport } from '../../../src/adapters/queue/create-fallback-transport.ts';
import type { Transport } from '../../../src/ports/queue.ts';

/** A transport that fails when it is told to. */
function breakable(): Transport & { isBroken: boolean } {
  const inner = createEmbeddedTransport();
  const transport = {
    ...inner,
    isBroken: false,
    announce: async (key: string) => {
      if (transport.isBroken) throw new Error('Redis is gone');
      await inner.announce(key);
    },
  };
  return transport;
}

describe('a transport with another one to fall back on', () => {
  it('serves what is announced while it fails, and what was announced before and after', async () => {
    const primary = breakable();
    const transport = createFallbackTransport(primary, createEmbeddedTransport());
    const served: string[] = [];
    await transport.consume(async (key) => void served.push(key), 2);
    await transport.announce('before');
    primary.isBroken = true;
    await transport.announce('meanwhile');
    primary.isBroken = false;
    await transport.announce('after');

    await expect.poll(() => served.toSorted()).toEqual(['after', 'before', 'meanwhile']);
  });

  it('serves no more at a time by both than by one', async () => {
    const primary = breakable();
    const transport = createFallbackTransport(primary, createEmbeddedTransport());
    const started: string[] = [];
    const gates = new Map<string, () => void>();
    await transport.consume(async (key) => {
      started.push(key);
      await new Promise<void>((resolve) => void gates.set(key, resolve));
    }, 1);
    await transport.announce('a');
    await expect.poll(() => started).toEqual(['a']);
    primary.isBroken = true;
    await transport.announce('b');
    await new Promise((resolve) => setImmediate(resolve));

    expect(started).toEqual(['a']);
    gates.get('a')?.();
    await expect.poll(() => started).toEqual(['a', 'b']);
    gates.get('b')?.();
    primary.isBroken = false;
    await transport.announce('c');
    await expect.poll(() => started).toEqual(['a', 'b', 'c']);
  });

  it('closes both', async () => {
    const closed: string[] = [];
    const [first, second] = ['first', 'second'].map((name) => ({
      ...createEmbeddedTransport(),
      close: async () => void closed.push(name),
    }));
    await createFallbackTransport(first ?? breakable(), second ?? breakable()).close();

    expect(closed).toEqual(['first', 'second']);
  });
});
