import { type CliProfile, MAX_TURNS } from './cli-profile.ts';
import { type ToolUses, textAt, toToolEvents } from './read-line.ts';

const DOING: ToolUses = {
  read_file: 'reading',
  read_many_files: 'reading',
  list_directory: 'reading',
  glob: 'reading',
  grep_search: 'reading',
  search_file_content: 'reading',
  replace: 'editing',
  write_file: 'editing',
  run_shell_command: 'running',
};

/** Settings of the user. Those of the project are removed from the tree before it starts. */
const SETTINGS = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  model: { maxSessionTurns: MAX_TURNS },
  tools: { useRipgrep: false },
} as const;

/** Gemini CLI. */
export const GEMINI: CliProfile = {
  kind: 'gemini',
  program: 'gemini',
  npmPackage: '@google/gemini-cli',
  tried: { oldest: '0.61.0', newest: '0.61.0' },
  toCommand: ({ program, model, prompt, readable }) => ({
    argv: [
      program,
      ...['-m', model.model, '--approval-mode', 'yolo', '--skip-trust', '-o', 'stream-json'],
      ...readable.flatMap((folder) => ['--include-directories', folder]),
      ...['-p', 'Do the task given on stdin'],
    ],
    env: { GOOGLE_GEMINI_BASE_URL: model.address, GEMINI_API_KEY: model.token },
    stdin: prompt,
    homeFiles: { '.gemini/settings.json': JSON.stringify(SETTINGS) },
  }),
  toEvents: (line) => {
    if (line['type'] === 'tool_use') return toToolEvents(DOING, textAt(line, 'tool_name'), line['parameters']);
    if (line['type'] !== 'result') return [];
    const isError = line['status'] !== 'success';
    return [{ kind: 'final', isError, detail: isError ? (textAt(line, 'error', 'message') ?? '') : '' }];
  },
  // The message comes in pieces. What was said before the last call of a tool is no part of it.
  findMessage: (lines) => {
    const from = lines.findLastIndex(({ type }) => type === 'tool_use' || type === 'tool_result') + 1;
    const pieces = lines
      .slice(from)
      .filter(({ type, role }) => type === 'message' && role === 'assistant')
      .map((line) => textAt(line, 'content') ?? '');
    return pieces.length === 0 ? null : pieces.join('');
  },
};
