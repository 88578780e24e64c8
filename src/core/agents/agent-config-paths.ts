/**
 * Files of a repository that make a coding agent (or a tool that it starts) run code or read settings before its first turn
 * (threat T34). They are removed from the workspace before an agent starts, and the resulting tree keeps them as at the head.
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

/**
 * The tracked paths, at any depth and in any case, that an agent must not find. A path with the name of a configuration folder is
 * a link or a submodule: what it points to would be read as that folder.
 */
export function findAgentConfig(tracked: readonly string[]): readonly string[] {
  return tracked.filter((path) => {
    const segments = path.toLowerCase().normalize('NFC').split('/');
    const names = segments.slice(-1);
    return names.some((name) => CONFIG_FILES.has(name)) || segments.some((segment) => CONFIG_FOLDERS.has(segment));
  });
}
