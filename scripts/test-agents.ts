/**
 * Runs real command lines of agents through the whole product, against a model of this machine. Usage:
 * `npm run test:agents [-- --short] [-- NAME…]`; all agents by default. They are installed first, as `test/agents/clis` pins them.
 * `--short`: the two that install and run fastest, and one class of failures of each.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { findInstalled, REAL_CLIS } from '../test/agents/real-clis.ts';
import { installPinned } from './tools/install-pinned.ts';

const ROOT = join(import.meta.dirname, '..');
const FASTEST = REAL_CLIS.slice(0, 2);

const { values, positionals } = parseArgs({
  options: { short: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !REAL_CLIS.some((known) => known === name));
if (unknown.length > 0) throw new RangeError(`no agent ${unknown.join(', ')}; known: ${REAL_CLIS.join(', ')}`);
const all = values.short ? FASTEST : REAL_CLIS;
const names = positionals.length === 0 ? all : positionals;
for (const name of names) {
  await installPinned(join(ROOT, 'test/agents/clis', name), join(findInstalled(), name));
}
const { exitCode } = await execa('vitest', ['run', '--project', 'agents', '--maxWorkers', '1'], {
  cwd: ROOT,
  preferLocal: true,
  stdio: 'inherit',
  reject: false,
  env: { RATCHET_REAL_CLIS: names.join(','), ...(values.short ? { RATCHET_REAL_CLASSES: '401' } : {}) },
});
process.exitCode = exitCode ?? 1;
