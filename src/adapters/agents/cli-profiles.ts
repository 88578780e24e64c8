import { CLAUDE } from './claude.ts';
import type { CliProfile } from './cli-profile.ts';
import { CODEX } from './codex.ts';
import { GEMINI } from './gemini.ts';
import { OPENCODE } from './opencode.ts';

/** The command lines that Ratchet knows. */
export const CLI_PROFILES: Readonly<Record<CliProfile['kind'], CliProfile>> = {
  claude: CLAUDE,
  codex: CODEX,
  gemini: GEMINI,
  opencode: OPENCODE,
};
