/**
 * Files of a repository that make a coding agent (or a tool it starts) run code or take settings before its first turn
 * (threat T34). They are taken out of the workspace before an agent starts and stand in the resulting tree as at the head.
 */
const CONFIG_FOLDERS: ReadonlySet<string> = new Set([
  '.aider',
  '.claude',
  '.codex',
  '.cursor',
  '.gemini',
  '.husky',
  '.opencode',
]);

const CONFIG_FILES: ReadonlySet<string> = new Set([
  '.aider.conf.yml',
  '.claude.json',
  '.cursorrules',
  '.env',
  '.mcp.json',
  '.npmrc',
  '.ripgreprc',
  'agents.md',
  'bunfig.toml',
  'claude.local.md',
  'claude.md',
  'gemini.md',
  'opencode.json',
  'opencode.jsonc',
]);

/** The tracked paths, at any depth and in any case, that an agent must not find. */
export function findAgentConfig(tracked: readonly string[]): readonly string[] {
  return tracked.filter((path) => {
    const segments = path.toLowerCase().normalize('NFC').split('/');
    const name = segments.at(-1) ?? '';
    return CONFIG_FILES.has(name) || segments.slice(0, -1).some((segment) => CONFIG_FOLDERS.has(segment));
  });
}
