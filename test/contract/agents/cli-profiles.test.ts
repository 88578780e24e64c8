import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CliProfile } from '../../../src/adapters/agents/cli-profile.ts';
import { CLI_PROFILES } from '../../../src/adapters/agents/cli-profiles.ts';
import { createEventReader } from '../../../src/adapters/agents/create-event-reader.ts';
import { parseMessage } from '../../../src/adapters/agents/parse-output.ts';
import type { AgentEvent, AgentOutput } from '../../../src/ports/agent.ts';
import { aRequest } from './agent-request.ts';

type Kind = CliProfile['kind'];

const REQUEST = aRequest({ run_id: 'run-1', task_id: 'run-1-ci' });
const LAUNCH = {
  program: '/opt/agents/agent',
  model: { address: 'http://127.0.0.1:8790', token: 'session-token', model: 'a-model', maxUsd: null },
  dialect: 'openai',
  prompt: 'Make it green.',
  readable: ['/ratchet/evidence'],
} as const;

/** What the real ones printed, with a scripted model. */
async function readRecorded(name: string): Promise<Buffer> {
  return readFile(join(import.meta.dirname, 'recorded', `${name}.jsonl`));
}

function readEvents(kind: Kind, output: Uint8Array, step = output.length): readonly AgentEvent[] {
  const reader = createEventReader(CLI_PROFILES[kind].toEvents, '/workspace');
  const events = [];
  for (let at = 0; at < output.length; at += step) events.push(...reader.push(output.subarray(at, at + step)));
  return events;
}

const RUN = `node -e "console.log(require('./sum.js')(1,2))"`;
const CODEX_EDIT = `'node' '-e' 'const fs=require('\\\\''node:fs'\\\\''),[file,find,to]=process.argv.slice(1);const text=fs.readFileSync(file,'\\\\''utf8'\\\\'');if("'!text.includes(find)…`;
const DONE = { kind: 'final', isError: false, detail: '' };
const doing = (what: string, detail: string): object => ({ kind: 'doing', what, detail });

describe('the events of a recorded run', () => {
  it.each<[Kind, readonly object[]]>([
    [
      'claude',
      [
        ...[doing('reading', 'sum.js'), doing('editing', 'sum.js'), doing('running', RUN)],
        ...[doing('thinking', ''), DONE],
      ],
    ],
    [
      'codex',
      [
        ...[doing('thinking', ''), doing('running', "cat 'sum.js'")],
        // It offers a shell only, and prints commands as one argument of it.
        doing('running', CODEX_EDIT),
        ...[doing('running', RUN.replaceAll('"', '\\"')), DONE],
      ],
    ],
    ['gemini', [doing('reading', 'sum.js'), doing('editing', 'sum.js'), doing('running', RUN), DONE]],
    ['opencode', [doing('reading', 'sum.js'), doing('editing', 'sum.js'), doing('running', RUN), DONE]],
  ])('of %s say what it did, and how it ended', async (kind, expected) => {
    const output = await readRecorded(`${kind}-ok`);

    expect(readEvents(kind, output)).toEqual(expected);
    expect(readEvents(kind, output, 7)).toEqual(expected);
  });

  it.each<[Kind, RegExp]>([
    ['claude', /^Failed to authenticate\. API Error: 401/u],
    ['codex', /^unexpected status 401/u],
    ['gemini', /^\[API Error: .*401/u],
    ['opencode', /^The key is not valid\.$/u],
  ])('of %s end with an error where the model refused its calls', async (kind, detail) => {
    const last = readEvents(kind, await readRecorded(`${kind}-401`)).at(-1);

    expect(last).toMatchObject({ kind: 'final', isError: true });
    expect(last?.detail).toMatch(detail);
  });
});

describe('the result of a recorded run', () => {
  it.each<Kind>(['claude', 'codex', 'gemini', 'opencode'])('of %s is in its last message', async (kind) => {
    const stdout = (await readRecorded(`${kind}-ok`)).toString('utf8');
    const { findMessage } = CLI_PROFILES[kind];

    expect(parseMessage({ stdout }, REQUEST, findMessage)).toMatchObject({
      kind: 'result',
      dropped: [],
      result: { status: 'success', summary: 'The function adds now, and its test passes.' },
    });
    // The beginning is lost where the output is long.
    expect(parseMessage({ stdout: stdout.slice(200) }, REQUEST, findMessage).kind).toBe('result');
    expect(parseMessage({ stdout }, aRequest({ run_id: 'run-2', task_id: 'run-1-ci' }), findMessage)).toEqual({
      kind: 'invalid',
      why: 'it answers another request (run_id or task_id differ)',
    });
  });

  it.each<Kind>(['claude', 'codex', 'gemini', 'opencode'])('of %s is none after a failure', async (kind) => {
    const stdout = (await readRecorded(`${kind}-401`)).toString('utf8');

    expect(parseMessage({ stdout }, REQUEST, CLI_PROFILES[kind].findMessage).kind).toBe('invalid');
  });

  it.each<Kind>(['claude', 'codex', 'gemini', 'opencode'])(
    'of %s is not taken from what its tools print',
    async (kind) => {
      const stdout = (await readRecorded(`${kind}-ok`)).toString('utf8');
      const fake = JSON.stringify({ status: 'success', summary: 'from a file of the repository' });
      const lines = stdout.split('\n').map((line) => line.replace('module.exports = (a, b) => a - b;', fake));
      const said = lines.map((line) => line.replace('The function adds now, and its test passes.', 'mine'));

      const parsed = parseMessage({ stdout: said.join('\n') }, REQUEST, CLI_PROFILES[kind].findMessage);

      expect(parsed).toMatchObject({ kind: 'result', result: { summary: 'mine' } });
    },
  );
});

describe('parseMessage', () => {
  const say = (message: string | null, file?: string): AgentOutput =>
    parseMessage({ stdout: '', ...(file === undefined ? {} : { file }) }, REQUEST, () => message);

  it.each([
    ['fills in what the agent does not decide', '{"status":"blocked","summary":"no way"}'],
    ['reads through words and fences', 'Sorry!\n```json\n{"status":"blocked","summary":"no way"}\n```\n'],
    ['takes what is complete', JSON.stringify({ ...REQUEST, status: 'blocked', summary: 'no way' })],
  ])('%s', (_what, message) => {
    expect(say(message)).toMatchObject({
      kind: 'result',
      result: { schema_version: 1, run_id: 'run-1', task_id: 'run-1-ci', status: 'blocked', summary: 'no way' },
    });
  });

  it.each([
    ['no message', null, /no last message/u],
    ['no object', 'Done.', /no JSON object/u],
    ['another task', '{"status":"success","summary":"","task_id":"other"}', /another request/u],
    ['a status that there is not', '{"status":"great","summary":""}', /status/u],
    ['a message that is cut off', '{"status":"success","summa', /in the middle/u],
  ])('refuses %s', (_what, message, why) => {
    const parsed = say(message);

    expect(parsed.kind === 'invalid' ? parsed.why : 'a result').toMatch(why);
  });

  it('prefers the result file, even one that cannot be used', () => {
    const message = '{"status":"success","summary":"said"}';

    expect(say(message, '{"status":"failure","summary":"written"}')).toMatchObject({ result: { summary: 'written' } });
    expect(say(message, '{"status":"fail')).toMatchObject({ kind: 'invalid' });
    expect(say(message, '[1]')).toMatchObject({ kind: 'invalid' });
  });
});

describe('createEventReader', () => {
  const read = (...chunks: readonly (string | Uint8Array)[]): readonly AgentEvent[] => {
    const reader = createEventReader(CLI_PROFILES.gemini.toEvents, '/workspace');
    return chunks.flatMap((chunk) => reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
  };
  const tool = (file: string): string =>
    JSON.stringify({ type: 'tool_use', tool_name: 'read_file', parameters: { file_path: file } });

  it('skips what is no event, and reads on', () => {
    const odd = ['not json', '[1]', '{"type":"result"', 'null', '{"type":"tool_use"}', '{"type":7}', '\u0000', ''];
    const bytes = Buffer.concat([Buffer.from(`${odd.join('\n')}\n`), Buffer.from([0xff, 0xfe, 0x0a])]);

    expect(read(bytes, `${tool('/workspace/a.js')}\n`)).toEqual([doing('reading', 'a.js')]);
  });

  it('skips a line without end, and keeps none of it', () => {
    const flood = 'x'.repeat(300_000);

    expect(read(flood, flood, `"\n${tool('a')}\n`)).toEqual([doing('reading', 'a')]);
    expect(read(`${flood}\n${tool('a')}\n${flood}\n`)).toEqual([doing('reading', 'a')]);
  });

  it('cuts details to one short line', () => {
    const [event] = read(`${tool(`/workspace/a\n\u001b[31m\u202eb${'c'.repeat(500)}`)}\n`);

    expect(event?.detail).toMatch(/^a \[31m bc+…$/u);
    expect(event?.detail).toHaveLength(160);
  });
});

describe('the command of', () => {
  it('claude loads nothing of the project and offers six tools', () => {
    expect(CLI_PROFILES.claude.toCommand(LAUNCH)).toMatchInlineSnapshot(`
      {
        "argv": [
          "/opt/agents/agent",
          "-p",
          "--output-format",
          "stream-json",
          "--verbose",
          "--model",
          "a-model",
          "--setting-sources",
          "user",
          "--strict-mcp-config",
          "--no-session-persistence",
          "--permission-mode",
          "dontAsk",
          "--tools",
          "Read,Edit,Write,Grep,Glob,Bash",
          "--max-turns",
          "1000",
          "--allowedTools",
          "Read(./**)",
          "Read(//ratchet/evidence/**)",
          "Edit(./**)",
          "Bash",
          "--disallowedTools",
          "Edit(./.github/**)",
          "Edit(./.git/**)",
        ],
        "env": {
          "ANTHROPIC_API_KEY": "session-token",
          "ANTHROPIC_BASE_URL": "http://127.0.0.1:8790",
          "ANTHROPIC_DEFAULT_HAIKU_MODEL": "a-model",
          "ANTHROPIC_SMALL_FAST_MODEL": "a-model",
          "API_TIMEOUT_MS": "7200000",
          "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
          "CLAUDE_CODE_MAX_RETRIES": "2",
          "DISABLE_AUTOUPDATER": "1",
        },
        "homeFiles": {},
        "stdin": "Make it green.",
      }
    `);
  });

  it('codex loads nothing of the project', () => {
    expect(CLI_PROFILES.codex.toCommand(LAUNCH)).toMatchInlineSnapshot(`
      {
        "argv": [
          "/opt/agents/agent",
          "exec",
          "--json",
          "--ephemeral",
          "--skip-git-repo-check",
          "--ignore-user-config",
          "--ignore-rules",
          "--sandbox",
          "danger-full-access",
          "-m",
          "a-model",
          "-c",
          "model_provider="ratchet"",
          "-c",
          "model_providers.ratchet={name="ratchet",base_url="http://127.0.0.1:8790/v1",env_key="CODEX_API_KEY",wire_api="responses",request_max_retries=2,stream_max_retries=2,stream_idle_timeout_ms=7200000,supports_websockets=false}",
          "-c",
          "analytics.enabled=false",
          "-c",
          "check_for_update_on_startup=false",
          "-c",
          "shell_environment_policy.inherit="core"",
          "-c",
          "project_doc_max_bytes=0",
          "-c",
          "features.plugins=false",
          "-c",
          "features.apps=false",
          "-c",
          "web_search="disabled"",
          "-",
        ],
        "env": {
          "CODEX_API_KEY": "session-token",
        },
        "homeFiles": {},
        "stdin": "Make it green.",
      }
    `);
  });

  it('gemini', () => {
    expect(CLI_PROFILES.gemini.toCommand(LAUNCH)).toMatchInlineSnapshot(`
      {
        "argv": [
          "/opt/agents/agent",
          "-m",
          "a-model",
          "--approval-mode",
          "yolo",
          "--skip-trust",
          "-o",
          "stream-json",
          "--include-directories",
          "/ratchet/evidence",
          "-p",
          "Do the task given on stdin",
        ],
        "env": {
          "GEMINI_API_KEY": "session-token",
          "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:8790",
        },
        "homeFiles": {
          ".gemini/settings.json": "{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false},"model":{"maxSessionTurns":1000},"tools":{"useRipgrep":false}}",
        },
        "stdin": "Make it green.",
      }
    `);
  });

  it('opencode', () => {
    expect(CLI_PROFILES.opencode.toCommand(LAUNCH)).toMatchInlineSnapshot(`
      {
        "argv": [
          "/opt/agents/agent",
          "run",
          "--format",
          "json",
          "--title",
          "fixup",
          "-m",
          "ratchet/a-model",
        ],
        "env": {
          "OPENCODE_CONFIG_CONTENT": "{"autoupdate":false,"share":"disabled","snapshot":false,"small_model":"ratchet/a-model","agent":{"build":{"steps":1000}},"provider":{"ratchet":{"npm":"@ai-sdk/openai-compatible","name":"ratchet","options":{"baseURL":"http://127.0.0.1:8790/v1","apiKey":"session-token"},"models":{"a-model":{"name":"a-model","limit":{"context":200000,"output":32000}}}}},"permission":{"edit":"allow","bash":"allow","webfetch":"deny","websearch":"deny","external_directory":{"*":"deny","/ratchet/evidence/**":"allow"}}}",
          "OPENCODE_DISABLE_AUTOUPDATE": "1",
          "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
          "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
          "OPENCODE_DISABLE_MODELS_FETCH": "1",
          "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
        },
        "homeFiles": {},
        "stdin": "Make it green.",
      }
    `);
  });

  it.each([
    ['anthropic', '@ai-sdk/anthropic', 'http://127.0.0.1:8790/v1'],
    ['gemini', '@ai-sdk/google', 'http://127.0.0.1:8790/v1beta'],
  ] as const)('opencode calls a model of %s with %s', (dialect, npm, baseURL) => {
    const { env } = CLI_PROFILES.opencode.toCommand({ ...LAUNCH, dialect });

    expect(JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '')).toMatchObject({
      provider: { ratchet: { npm, options: { baseURL, apiKey: 'session-token' } } },
    });
  });

  it.each<Kind>(['claude', 'codex', 'gemini', 'opencode'])('%s has no token among its arguments', (kind) => {
    expect(CLI_PROFILES[kind].toCommand(LAUNCH).argv.join(' ')).not.toContain('session-token');
  });
});
