import { describe, expect, it, onTestFinished } from 'vitest';
import { pingRedis } from '../../../src/adapters/queue/ping-redis.ts';
import { startRedis } from '../../support/redis.ts';

const { signal } = new AbortController();

describe('pingRedis', () => {
  it('gets an answer of a server, and none of a frozen one or of one that is gone', async () => {
    const redis = await startRedis();
    onTestFinished(redis.stop);
    await expect(pingRedis(redis.url, signal)).resolves.toBeUndefined();

    redis.freeze();
    const stop = new AbortController();
    const waiting = pingRedis(redis.url, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toThrow();
    redis.thaw();

    await redis.kill();
    await expect(pingRedis(redis.url, signal)).rejects.toThrow('ECONNREFUSED');
  });

  it('names no password', async () => {
    const redis = await startRedis();
    onTestFinished(redis.stop);
    const url = redis.url.replace('redis://', 'redis://ada:precious@');

    await expect(pingRedis(url, signal)).rejects.toThrow(/^(?!.*precious).*(?:WRONGPASS|AUTH)/u);
  });
});
