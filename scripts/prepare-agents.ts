/**
 * Installs the command lines of agents that `npm run test:agents` runs for real, as `test/agents/clis` pins them, into
 * `.cache/agents`. Usage: `node scripts/prepare-agents.ts [NAME…]`, by default all.
 */
import { join } from 'node:path';
import { REAL_CLIS } from '../test/agents/real-clis.ts';
import { installPinned } from './tools/install-pinned.ts';

const ROOT = join(import.meta.dirname, '..');
const named = process.argv.slice(2);

for (const name of named.length === 0 ? REAL_CLIS : named) {
  await installPinned(join(ROOT, 'test/agents/clis', name), join(ROOT, '.cache/agents', name));
}
