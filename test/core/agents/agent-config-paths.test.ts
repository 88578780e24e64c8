import { describe, expect, it } from 'vitest';
import { findAgentConfig } from '../../../src/core/agents/agent-config-paths.ts';

describe('findAgentConfig (T34)', () => {
  it.each([
    '.claude/settings.json',
    'packages/a/.claude/hooks/x.sh',
    '.mcp.json',
    'CLAUDE.md',
    'docs/AGENTS.md',
    'Agents.MD',
    '.opencode/plugin/evil.js',
    'opencode.jsonc',
    '.gemini/settings.json',
    '.codex/config.toml',
    '.cursor/rules/x.mdc',
    '.husky/pre-commit',
    '.npmrc',
    'web/.env',
    'bunfig.toml',
    '.qwen/settings.json',
    'a/.cline/x',
    '.clinerules',
    '.clinerules/rule.md',
    '.pi/agent/models.json',
    '.agents/skills/x/SKILL.md',
    'QWEN.md',
    '.github/copilot-instructions.md',
    '.github/hooks/start.json',
    '.GitHub/Instructions/x.instructions.md',
    '.vscode/mcp.json',
    '.aider.model.settings.yml',
    '.gitmodules',
    // A link (or a submodule) in the place of the folder is read as the folder.
    '.claude',
    'src/.claude',
    'packages/a/.Codex',
  ])('finds %s', (path) => {
    expect(findAgentConfig(['src/a.ts', path])).toEqual([path]);
  });

  it.each([
    'src/claude.ts',
    'claude/settings.json',
    'docs/agents.html',
    'README.md',
    '.github/workflows/ci.yml',
    '.vscode/settings.json',
    'github/hooks/x',
    'x.qwen/y',
  ])('leaves %s alone', (path) => {
    expect(findAgentConfig([path])).toEqual([]);
  });
});
