import { describe, expect, it } from 'vitest';
import { parseAgentsFile } from '../../src/config/agents-file.ts';
import { parsePrices } from '../../src/config/model-prices.ts';
import { ConfigError } from '../../src/core/model/errors.ts';

function problemsOf(parse: () => unknown): readonly string[] {
  try {
    parse();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const PRICE = { input: 3, cached: 0.3, written: 3.75, output: 15 };
const CLAUDE = 'agents:\n  - name: sonnet\n    kind: claude\n    keyFile: /run/anthropic.key\n    models: [m]\n';

describe('parseAgentsFile', () => {
  it('reads agents in their order', () => {
    const text = `${CLAUDE}
    path: /usr/local/bin/claude
    api: anthropic
    url: https://proxy.test/anthropic/
    prices: { m: { input: 3, cached: 0.3, written: 3.75, output: 15 } }
    maxOutputTokens: 8000
  - { name: own, kind: command, command: [/usr/bin/own, --flag] }
  - { name: scripted, kind: fake, script: /tmp/script.json }
`;
    expect(parseAgentsFile(text, 'agents.yml')).toEqual([
      {
        ...{ name: 'sonnet', kind: 'claude', path: '/usr/local/bin/claude', api: 'anthropic' },
        ...{ url: 'https://proxy.test/anthropic', keyFile: '/run/anthropic.key', models: ['m'] },
        ...{ prices: { m: PRICE }, maxOutputTokens: 8000 },
      },
      { name: 'own', kind: 'command', command: ['/usr/bin/own', '--flag'] },
      { name: 'scripted', kind: 'fake', script: '/tmp/script.json' },
    ]);
  });

  it('reads JSON', () => {
    const agents = [{ name: 'own', kind: 'command', command: ['own'] }];
    expect(parseAgentsFile(JSON.stringify({ agents }), 'agents.json')).toEqual(agents);
  });

  it('reads a planner, which has a model and no program (004.R33)', () => {
    const planner = { name: 'p', kind: 'planner', api: 'gemini', keyFile: '/run/key', models: ['m'] };
    expect(parseAgentsFile(JSON.stringify({ agents: [planner] }), 'agents.json')).toEqual([planner]);
    const problems = problemsOf(() => parseAgentsFile('agents: [{ name: p, kind: planner, path: /x }]', 'a.yml'));
    expect(problems.join(' ')).toMatch(/api.*is required with kind: planner/u);
    expect(problems.join(' ')).toMatch(/path.*has no meaning with kind: planner/u);
  });

  it.each([
    ['an empty file', '', 'line 1, column 1: `agents`: is required'],
    ['the key file in its place', 'sk-ant-hunter2\n', 'line 1, column 1: the file: expected a mapping, not text'],
    ['no agent', 'agents: []', 'line 1, column 1: `agents`: must not be empty'],
    [
      'a mistyped key',
      `${CLAUDE}    keyfile: /x\n`,
      'line 6, column 5: unknown key "agents.0.keyfile"; did you mean `keyFile`?',
    ],
    [
      'a mistyped key of a price',
      `${CLAUDE}    prices: { m: { input: 1, cached: 1, written: 1, outputs: 1 } }\n`,
      'line 6, column 15: `agents.0.prices.m.output`: is required',
    ],
    [
      'a mistyped kind',
      'agents: [{ name: a, kind: claud }]',
      'line 1, column 21: `agents.0.kind`: expected claude, codex, gemini, opencode, acp, planner, command or fake, not "claud"; write claude',
    ],
    [
      'no key file',
      'agents: [{ name: a, kind: codex, models: [m] }]',
      '`agents.0.keyFile`: is required with kind: codex',
    ],
    [
      'no models',
      'agents: [{ name: a, kind: gemini, keyFile: /k }]',
      '`agents.0.models`: is required with kind: gemini',
    ],
    [
      'no API where the kind does not say it',
      'agents: [{ name: a, kind: opencode, keyFile: /k, models: [m] }]',
      '`agents.0.api`: is required with kind: opencode',
    ],
    [
      'another API than that of the kind',
      `${CLAUDE}    api: openai\n`,
      'line 6, column 5: `agents.0.api`: must be anthropic with kind: claude',
    ],
    [
      'a command for a kind with a program',
      `${CLAUDE}    command: [claude]\n`,
      'line 6, column 5: `agents.0.command`: has no meaning with kind: claude',
    ],
    ['no command', 'agents: [{ name: a, kind: command }]', '`agents.0.command`: is required with kind: command'],
    [
      'a model without an API for a command',
      'agents: [{ name: a, kind: command, command: [x], keyFile: /k, models: [m] }]',
      '`agents.0.api`: is required with kind: command',
    ],
    [
      'a model for the scripted agent',
      'agents: [{ name: a, kind: fake, script: s, models: [m] }]',
      'line 1, column 44: `agents.0.models`: has no meaning with kind: fake',
    ],
    ['a model twice', CLAUDE.replace('[m]', '[m, m]'), '`agents.0.models`: must not name a model twice'],
    ['no model at all', CLAUDE.replace('[m]', '[]'), '`agents.0.models`: must not be empty'],
    [
      'a name that a policy cannot write',
      'agents: [{ name: "-a", kind: fake, script: s }]',
      '`agents.0.name`: must begin',
    ],
    [
      'one name twice, in any case',
      'agents:\n  - { name: a, kind: fake, script: s }\n  - { name: A, kind: fake, script: s }',
      'line 3, column 7: `agents.1.name`: another agent has this name',
    ],
    [
      'clear text to another machine',
      `${CLAUDE}    url: http://models.test\n`,
      'line 6, column 5: `agents.0.url`: may be http only on this machine',
    ],
    ['a URL with a path of calls', `${CLAUDE}    url: https://models.test/v1/\n`, '`agents.0.url`: must be the root'],
    [
      'a key file that could be the key',
      CLAUDE.replace('/run/anthropic.key', 'sk-ant-hunter2'),
      '`agents.0.keyFile`: must be the absolute path of a file with the key',
    ],
  ])('refuses %s', (_what, text, problem) => {
    const [first = '', ...others] = problemsOf(() => parseAgentsFile(text, 'agents.yml'));
    expect(first).toContain('RATCHET_AGENTS_FILE: agents.yml, line ');
    expect(first).toContain(problem);
    expect([first, ...others].join()).not.toContain('hunter2');
  });

  it('accepts plain HTTP to this machine', () => {
    for (const url of ['http://127.0.0.1:8080', 'http://localhost:1/x', 'http://[::1]:9', 'http://127.9.9.9']) {
      expect(parseAgentsFile(`${CLAUDE}    url: ${url}\n`, 'agents.yml')[0]?.url).toBe(url);
    }
    for (const url of [
      'http://127.0.0.1.evil.test',
      'http://localhost.evil.test',
      'ftp://127.0.0.1',
      'https://u:p@x.test',
    ]) {
      expect(problemsOf(() => parseAgentsFile(`${CLAUDE}    url: ${url}\n`, 'agents.yml'))).toHaveLength(1);
    }
  });
});

describe('parsePrices', () => {
  it('reads prices, with those of long prompts', () => {
    const long = { above: 200_000, ...PRICE };
    expect(parsePrices(JSON.stringify({ m: PRICE, 'a/b:c': { ...PRICE, long } }), 'prices.json')).toEqual({
      m: PRICE,
      'a/b:c': { ...PRICE, long },
    });
    expect(parsePrices('', 'prices.yml')).toEqual({});
  });

  it.each([
    ['a missing price', 'm: { input: 3, cached: 0.3, output: 15 }', 'line 1, column 1: `m.written`: is required'],
    [
      'an unknown key',
      'm: { input: 3, cached: 0.3, written: 1, output: 15, cache: 1 }',
      'line 1, column 53: unknown key "m.cache"; did you mean `cached`?',
    ],
    [
      'the price of one token',
      'm: { input: 0.000003, cached: 0, written: 0, output: 0 }',
      'line 1, column 6: `m.input`: must be in USD per million tokens',
    ],
    [
      'a price in words',
      'm: { input: "3", cached: 0, written: 0, output: 0 }',
      'line 1, column 6: `m.input`: expected a number, not "3"; write 3',
    ],
    ['a negative price', 'm: { input: -1, cached: 0, written: 0, output: 0 }', '`m.input`: must be at least 0, not -1'],
    ['a name that no API has', '"a b": { input: 1, cached: 0, written: 0, output: 0 }', 'line 1, column 1: '],
    ['the key file in its place', 'sk-ant-hunter2\n', 'line 1, column 1: the file: expected a mapping, not text'],
    ['a list', '- m', 'line 1, column 1: the file: expected a mapping, not a list'],
    ['broken YAML', 'm: { input', 'line 1, column 11: '],
    ['a price twice', 'm: { input: 1, input: 2 }', 'line 1, column 16: Map keys must be unique'],
  ])('refuses %s', (_what, text, problem) => {
    expect(problemsOf(() => parsePrices(text, 'prices.yml'))[0]).toContain('RATCHET_MODEL_PRICES: prices.yml, line ');
    expect(problemsOf(() => parsePrices(text, 'prices.yml'))[0]).toContain(problem);
  });
});
