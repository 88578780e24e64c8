import { join } from 'node:path';
import type { FakeCli } from '../support/fake-cli.ts';

/** The command lines that run for real; the two that install and run fastest come first. */
export const REAL_CLIS = ['codex', 'gemini', 'claude', 'opencode'] as const satisfies readonly FakeCli[];

const INSTALLED = join(import.meta.dirname, '../../.cache/agents');

/** Install scripts are not run: they would only put the native program of this system in the place of a launcher. */
const PROGRAMS: Readonly<Record<FakeCli, string>> = {
  claude: `@anthropic-ai/claude-code-linux-${process.arch}/claude`,
  codex: '.bin/codex',
  gemini: '.bin/gemini',
  opencode: `opencode-linux-${process.arch}/bin/opencode`,
};

/** Path of the program, as `npm run test:agents` installs it. */
export function toRealCli(name: FakeCli): string {
  return join(INSTALLED, name, 'node_modules', PROGRAMS[name]);
}
