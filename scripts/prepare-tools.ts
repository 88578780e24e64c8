/**
 * Makes sure that what `npm run test:tools` needs is there: the tools of npm that it runs for real and the projects of others that
 * it checks, as `test/tools/npm` and `test/tools/third-party` pin them, in folders of those names below `.cache/tools`, and the
 * tools of Debian. What is up to date is left alone. Usage: `node scripts/prepare-tools.ts`.
 */
import { join } from 'node:path';
import { installDebianTools } from './tools/install-debian.ts';
import { installPinned } from './tools/install-pinned.ts';

const ROOT = join(import.meta.dirname, '..');

for (const name of ['npm', 'third-party', 'templates']) {
  await installPinned(join(ROOT, 'test/tools', name), join(ROOT, '.cache/tools', name));
}
await installDebianTools();
