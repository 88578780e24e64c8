import { Redis } from 'ioredis';

/** Connects to Redis once and asks for an answer. Throws with a reason that does not hold the password. */
export async function pingRedis(redisUrl: string, signal: AbortSignal): Promise<void> {
  const redis = new Redis(redisUrl, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  let failure: Error | null = null;
  redis.on('error', (error) => {
    failure ??= error;
  });
  const stop = (): void => redis.disconnect();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    // What ioredis throws says only that the connection was closed.
    throw failure ?? error;
  } finally {
    signal.removeEventListener('abort', stop);
    redis.disconnect();
  }
}
