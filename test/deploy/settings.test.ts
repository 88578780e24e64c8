import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseEnvironment, parseSurroundings, VARIABLES } from '../../src/config/environment.ts';
import { ConfigError } from '../../src/core/model/errors.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Written in small letters, they win over the others, as with other programs. Nobody needs to be told twice. */
const SECOND_NAMES = ['https_proxy', 'no_proxy'];
/** Variables of the command line, not of the service. */
const OF_COMMANDS = /^RATCHET_(?:URL|PATHS|CACHE_DIR|[A-Z0-9_<>]+_CONFIG)$/u;

async function read(path: string): Promise<string> {
  return readFile(join(ROOT, path), 'utf8');
}

type Line = readonly [name: string, value: string, isSet: boolean];

function toVariables(lines: readonly Line[]): Record<string, string> {
  return Object.fromEntries(lines.map(([name, value]): readonly [string, string] => [name, value]));
}

async function readExample(): Promise<readonly Line[]> {
  const lines = (await read('deploy/.env.example')).split('\n');
  return lines.flatMap((line) => {
    const { off, name, value } = /^(?<off>#?)(?<name>[A-Za-z_]+)=(?<value>.*)$/u.exec(line)?.groups ?? {};
    return name === undefined ? [] : [[name, value ?? '', off === ''] as const];
  });
}

describe('the example of the settings', () => {
  it('names each variable that the service reads, once', async () => {
    const names = (await readExample()).map(([name]) => name);

    expect(names.toSorted()).toEqual(VARIABLES.filter((name) => !SECOND_NAMES.includes(name)).toSorted());
  });

  it('is accepted as it is once an agent is named, by Docker and systemd alike: no quotes, no comment behind a value', async () => {
    const set = (await readExample()).filter(([, , isSet]) => isSet);
    const variables = toVariables(set);

    expect(() => parseSurroundings(variables, { needsAgent: true })).toThrow(ConfigError);
    const named = { ...variables, RATCHET_AGENT: 'command', RATCHET_AGENT_COMMAND: '["/bin/true"]' };
    expect(parseSurroundings(named, { needsAgent: true })).toMatchObject({ webhookUrl: 'https://ratchet.example.com' });
    for (const [, value] of await readExample()) expect(value).not.toMatch(/^["']|\s#/u);
  });

  it('shows the defaults as they are', async () => {
    const shown = (await readExample()).filter(([name, value]) => value !== '' && !MADE_UP.includes(name));
    const agent = { RATCHET_AGENT: 'claude', RATCHET_MODEL_KEY_FILE: '/run/key', RATCHET_MODELS: 'claude-sonnet-5-5' };
    const read = (variables: Readonly<Record<string, string>>): unknown =>
      parseSurroundings({ ...agent, ...variables }, { needsAgent: true });

    expect(shown.length).toBeGreaterThan(25);
    for (const [name, value] of shown) expect([name, read({ [name]: value })]).toEqual([name, read({})]);
  });

  it('has only values that the service accepts', async () => {
    const example = toVariables((await readExample()).filter(([name]) => !ELSEWHERE.includes(name)));

    expect(() => parseEnvironment(example)).toThrow(ConfigError);
    try {
      parseEnvironment(example);
    } catch (error) {
      // What an operator has to fill in, and nothing else.
      const problems = error instanceof ConfigError ? error.problems : [];
      expect(problems.filter((problem) => problem.includes('must'))).toEqual([]);
    }
  });
});

/** Examples of what has no default. */
const MADE_UP = [
  ...[
    'RATCHET_AGENT_COMMAND',
    'RATCHET_AGENT_REPOSITORIES',
    'RATCHET_WEBHOOK_URL',
    'REDIS_URL',
    'RATCHET_METRICS_PORT',
  ],
  ...['HTTPS_PROXY', 'RATCHET_TOOLCHAINS', 'RATCHET_STRUCTURAL_MERGE'],
  // Filled in where they are used.
  'RATCHET_MODEL_MAX_OUTPUT_TOKENS',
  // By the machine.
  ...['RATCHET_SANDBOX_MAX_MEMORY_BYTES', 'RATCHET_SANDBOX_MAX_PROCESSES', 'RATCHET_SANDBOX_UID_BASE'],
];
/** Belongs to another agent than the one that is named last. */
const ELSEWHERE = ['RATCHET_AGENT_COMMAND'];

describe('the table of settings in docs/operating.md', () => {
  it('names each variable once', async () => {
    const text = await read('docs/operating.md');
    const [, table = ''] = /\n\| variable .*?\n\|[ -|]+\n(.*?)\n\n/su.exec(text) ?? [];
    const names = table.split('\n').flatMap((row) => {
      const [, first = ''] = row.split('|');
      return [...first.matchAll(/`([A-Za-z_]+)`/gu)].map(([, name = '']) => name);
    });

    expect(names.filter((name) => !OF_COMMANDS.test(name)).toSorted()).toEqual(
      VARIABLES.filter((name) => !SECOND_NAMES.includes(name)).toSorted(),
    );
  });
});
