import { lstatSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import type { FakeCli } from '../support/fake-cli.ts';

/** The command lines that run for real; the two that install and run fastest come first. */
export const REAL_CLIS = ['codex', 'gemini', 'claude', 'opencode'] as const satisfies readonly FakeCli[];

const IN_PROJECT = join(import.meta.dirname, '../../.cache/agents');
/** Where the project lies in a folder that the users of sandboxes may not enter. */
const OUTSIDE = '/var/tmp/ratchet-test-agents';

/** Install scripts are not run: they would only put the native program of this system in the place of a launcher. */
const PROGRAMS: Readonly<Record<FakeCli, string>> = {
  claude: `@anthropic-ai/claude-code-linux-${process.arch}/claude`,
  codex: '.bin/codex',
  gemini: '.bin/gemini',
  opencode: `opencode-linux-${process.arch}/bin/opencode`,
};

/** The folder that `npm run test:agents` installs into. Everybody may enter it, and nobody else may change it. */
export function findInstalled(): string {
  const isRoot = process.getuid?.() === 0;
  const folder = isRoot && !isOpen(dirname(dirname(IN_PROJECT))) ? OUTSIDE : IN_PROJECT;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const { uid, mode } = lstatSync(folder);
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0) throw new Error(`${folder} is not ours alone: remove it`);
  return folder;
}

/** Path of the program, as `npm run test:agents` installs it. */
export function toRealCli(name: FakeCli): string {
  return join(findInstalled(), name, 'node_modules', PROGRAMS[name]);
}

function isOpen(folder: string): boolean {
  if ((lstatSync(folder).mode & 0o001) === 0) return false;
  return folder === '/' || isOpen(dirname(folder));
}
