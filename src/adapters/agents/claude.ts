import { type CliProfile, MAX_TURNS, RETRIES, SILENCE_MS } from './cli-profile.ts';
import { objectsAt, type ToolUses, textAt, toToolEvents } from './read-line.ts';

const TOOLS = ['Read', 'Edit', 'Write', 'Grep', 'Glob', 'Bash'] as const;
const DOING: ToolUses = {
  ...{ Read: 'reading', Grep: 'reading', Glob: 'reading' },
  ...{ Edit: 'editing', Write: 'editing', Bash: 'running' },
};

/**
 * Claude Code. Neither settings, hooks, plugins nor MCP servers of the project are loaded (`--setting-sources user` with an empty
 * home, `--strict-mcp-config`).
 */
export const CLAUDE: CliProfile = {
  kind: 'claude',
  program: 'claude',
  npmPackage: '@anthropic-ai/claude-code',
  tried: { oldest: '2.1.332', newest: '2.1.332' },
  toCommand: ({ program, model, prompt, readable }) => ({
    argv: [
      program,
      ...['-p', '--output-format', 'stream-json', '--verbose', '--model', model.model],
      ...[
        '--setting-sources',
        'user',
        '--strict-mcp-config',
        '--no-session-persistence',
        '--permission-mode',
        'dontAsk',
      ],
      ...['--tools', TOOLS.join(','), '--max-turns', String(MAX_TURNS)],
      ...['--allowedTools', 'Read(./**)', ...readable.map((folder) => `Read(/${folder}/**)`), 'Edit(./**)', 'Bash'],
      ...['--disallowedTools', 'Edit(./.github/**)', 'Edit(./.git/**)'],
    ],
    env: {
      ANTHROPIC_BASE_URL: model.address,
      ANTHROPIC_API_KEY: model.token,
      // Its side calls would go to another model.
      ANTHROPIC_SMALL_FAST_MODEL: model.model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model.model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: String(RETRIES),
      API_TIMEOUT_MS: String(SILENCE_MS),
      DISABLE_AUTOUPDATER: '1',
    },
    stdin: prompt,
    homeFiles: {},
  }),
  toEvents: (line) => {
    if (line['type'] === 'assistant') {
      return objectsAt(line, 'message', 'content').flatMap((part) =>
        part['type'] === 'tool_use'
          ? toToolEvents(DOING, textAt(part, 'name'), part['input'])
          : [{ kind: 'doing', what: 'thinking', detail: '' }],
      );
    }
    if (line['type'] !== 'result') return [];
    // Its `subtype` says "success" also where a call failed.
    const isError = line['is_error'] !== false;
    return [
      { kind: 'final', isError, detail: isError ? (textAt(line, 'result') ?? textAt(line, 'subtype') ?? '') : '' },
    ];
  },
  findMessage: (lines) =>
    textAt(
      lines.findLast(({ type }) => type === 'result'),
      'result',
    ),
};
