import type { AgentEvent } from '../../ports/agent.ts';
import { type CliProfile, RETRIES, SILENCE_MS } from './cli-profile.ts';
import { objectsAt, textAt } from './read-line.ts';

const PROVIDER = 'ratchet';
const KEY_VARIABLE = 'CODEX_API_KEY';

/** The shell that it runs all commands with. */
const SHELL = /^\/bin\/bash -lc "(?<inner>.*)"$/su;

/**
 * Codex. Its own sandbox is off: it cannot run inside of Ratchet's, and every shell command would fail while the run succeeds.
 * Neither rules, configuration, plugins nor documents of the project are loaded.
 */
export const CODEX: CliProfile = {
  kind: 'codex',
  program: 'codex',
  npmPackage: '@openai/codex',
  tried: { oldest: '0.171.0', newest: '0.171.0' },
  toCommand: ({ program, model, prompt }) => ({
    argv: [
      program,
      ...['exec', '--json', '--ephemeral', '--skip-git-repo-check', '--ignore-user-config', '--ignore-rules'],
      ...['--sandbox', 'danger-full-access', '-m', model.model],
      ...toSettings({
        model_provider: PROVIDER,
        [`model_providers.${PROVIDER}`]: {
          name: PROVIDER,
          base_url: `${model.address}/v1`,
          env_key: KEY_VARIABLE,
          wire_api: 'responses',
          request_max_retries: RETRIES,
          stream_max_retries: RETRIES,
          stream_idle_timeout_ms: SILENCE_MS,
          supports_websockets: false,
        },
        'analytics.enabled': false,
        check_for_update_on_startup: false,
        'shell_environment_policy.inherit': 'core',
        project_doc_max_bytes: 0,
        'features.plugins': false,
        'features.apps': false,
        web_search: 'disabled',
      }),
      '-',
    ],
    env: { [KEY_VARIABLE]: model.token },
    stdin: prompt,
    homeFiles: {},
  }),
  toEvents: (line) => {
    const { item } = line;
    if (line['type'] === 'item.started') return toItemEvents(item);
    if (line['type'] === 'item.completed' && textAt(item, 'type') === 'file_change') return toItemEvents(item);
    if (line['type'] === 'turn.started') return [{ kind: 'doing', what: 'thinking', detail: '' }];
    if (line['type'] === 'turn.completed') return [{ kind: 'final', isError: false, detail: '' }];
    if (line['type'] === 'turn.failed') {
      return [{ kind: 'final', isError: true, detail: textAt(line, 'error', 'message') ?? '' }];
    }
    return [];
  },
  findMessage: (lines) =>
    textAt(
      lines.findLast((line) => textAt(line, 'item', 'type') === 'agent_message'),
      'item',
      'text',
    ),
};

function toItemEvents(item: unknown): readonly AgentEvent[] {
  const type = textAt(item, 'type');
  if (type === 'command_execution') {
    const command = textAt(item, 'command') ?? '';
    return [{ kind: 'doing', what: 'running', detail: command.replace(SHELL, '$<inner>') }];
  }
  if (type !== 'file_change') return [];
  const paths = objectsAt(item, 'changes').map((change) => textAt(change, 'path') ?? '');
  return [{ kind: 'doing', what: 'editing', detail: paths.join(', ') }];
}

type Setting = string | number | boolean;

/** Settings as arguments. A text of JSON is one of TOML, too. */
function toSettings(
  settings: Readonly<Record<string, Setting | Readonly<Record<string, Setting>>>>,
): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${toToml(value)}`]);
}

function toToml(value: Setting | Readonly<Record<string, Setting>>): string {
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, inner]) => `${name}=${JSON.stringify(inner)}`)
    .join(',')}}`;
}
