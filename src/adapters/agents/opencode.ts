import type { Dialect } from '../../core/model/model-use.ts';
import type { AgentModel } from '../../ports/agent.ts';
import { type CliProfile, MAX_TURNS } from './cli-profile.ts';
import { type ToolUses, textAt, toToolEvents, valueAt } from './read-line.ts';

const PROVIDER = 'ratchet';
const DOING: ToolUses = {
  ...{ read: 'reading', glob: 'reading', grep: 'reading', list: 'reading' },
  ...{ edit: 'editing', write: 'editing', patch: 'editing', multiedit: 'editing', apply_patch: 'editing' },
  bash: 'running',
};

/** Its clients of the APIs, which are part of the program, and the path that each expects in its address. */
const CLIENTS: Readonly<Record<Dialect, { readonly npm: string; readonly path: string }>> = {
  anthropic: { npm: '@ai-sdk/anthropic', path: '/v1' },
  openai: { npm: '@ai-sdk/openai-compatible', path: '/v1' },
  gemini: { npm: '@ai-sdk/google', path: '/v1beta' },
};

/** OpenCode. Plugins of the project are loaded in spite of its switches, so its folder is removed from the tree before it starts. */
export const OPENCODE: CliProfile = {
  kind: 'opencode',
  program: 'opencode',
  npmPackage: 'opencode-ai',
  tried: { oldest: '1.18.33', newest: '1.18.33' },
  toCommand: ({ program, model, dialect, prompt, readable }) => ({
    argv: [program, 'run', '--format', 'json', '--title', 'fixup', '-m', `${PROVIDER}/${model.model}`],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify(toConfig(model, dialect, readable)),
    },
    stdin: prompt,
    homeFiles: {},
  }),
  toEvents: (line) => {
    switch (line['type']) {
      case 'tool_use':
        return toToolEvents(DOING, textAt(line, 'part', 'tool'), valueAt(line, 'part', 'state', 'input'));
      case 'error':
        return [{ kind: 'final', isError: true, detail: textAt(line, 'error', 'data', 'message') ?? '' }];
      case 'step_finish': {
        const reason = textAt(line, 'part', 'reason');
        if (reason === 'tool-calls') return [];
        return [{ kind: 'final', isError: reason !== 'stop', detail: reason === 'stop' ? '' : (reason ?? '') }];
      }
      default:
        return [];
    }
  },
  findMessage: (lines) => {
    const from = lines.findLastIndex(({ type }) => type === 'step_start') + 1;
    const texts = lines.slice(from).filter(({ type }) => type === 'text');
    return texts.length === 0 ? null : texts.map((line) => textAt(line, 'part', 'text') ?? '').join('\n');
  },
};

function toConfig({ address, token, model }: AgentModel, dialect: Dialect, readable: readonly string[]): object {
  const { npm, path } = CLIENTS[dialect];
  return {
    autoupdate: false,
    share: 'disabled',
    snapshot: false,
    small_model: `${PROVIDER}/${model}`,
    agent: { build: { steps: MAX_TURNS } },
    provider: {
      [PROVIDER]: {
        npm,
        name: PROVIDER,
        options: { baseURL: `${address}${path}`, apiKey: token },
        models: { [model]: { name: model, limit: { context: 200_000, output: 32_000 } } },
      },
    },
    permission: {
      edit: 'allow',
      bash: 'allow',
      webfetch: 'deny',
      websearch: 'deny',
      external_directory: { '*': 'deny', ...Object.fromEntries(readable.map((folder) => [`${folder}/**`, 'allow'])) },
    },
  };
}
