import { generateKeyPairSync } from 'node:crypto';
import { createGates } from '../../world/gates.ts';
import type { WorldOptions } from '../../world/start-world.ts';

/** What is slow to make, never changes and says nothing of a world: the worlds of one process share it. */
export const SHARED_BY_WORLDS: Required<Pick<WorldOptions, 'gates' | 'privateKey'>> = {
  gates: createGates(),
  privateKey: generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  }).privateKey,
};
