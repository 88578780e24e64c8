import { Redis } from 'ioredis';

/** Connects to Redis once and asks for an answer. Throws with a reason that does not hold the password. */
export async function pingRedis(redisUrl: string, signal: AbortSignal): Promise<void> {
  const redis = new Redis(redisUrl, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  const failures: Error[] = [];
  redis.on('error', (error) => failures.push(error));
  const stop = (): void => redis.disconnect();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    // What ioredis throws says only that the connection was closed.
    throw failures[0] ?? error;
  } finally {
    signal.removeEventListener('abort', stop);
    redis.disconnect();
  }
}
