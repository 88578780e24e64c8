import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseEnvironment, parsePrivateKey } from '../../src/config/environment.ts';
import { ConfigError } from '../../src/core/model/errors.ts';
import { PUBLIC_REGISTRIES } from '../../src/core/registry/registry-roots.ts';

const pem = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'pem' })
  .toString();

const minimal = {
  APP_ID: '42',
  PRIVATE_KEY: pem,
  WEBHOOK_SECRET: 'a-long-enough-secret',
  RATCHET_AGENT: 'command',
  RATCHET_AGENT_COMMAND: '["agent","--flag"]',
};

const claude = {
  RATCHET_AGENT: 'claude',
  RATCHET_MODEL_KEY_FILE: '/run/anthropic.key',
  RATCHET_MODELS: 'sonnet',
};

function problemsOf(variables: Record<string, string | undefined>): readonly string[] {
  try {
    parseEnvironment(variables);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('parseEnvironment', () => {
  it('fills in every setting that is no secret and no choice of trust', () => {
    expect(parseEnvironment({ ...minimal, PATH: '/bin', REDIS_URL: '' })).toEqual({
      appId: 42,
      privateKey: { kind: 'pem', pem },
      webhookSecrets: ['a-long-enough-secret'],
      webhookPath: '/api/github/webhooks',
      webhookUrl: null,
      host: 'localhost',
      port: 3000,
      dataDir: 'data',
      redisUrl: null,
      githubApiUrl: 'https://api.github.com',
      logLevel: 'info',
      agents: { kind: 'one', entry: { name: 'command', kind: 'command', command: ['agent', '--flag'] } },
      agentRepositories: null,
      hasOwnCa: false,
      metricsPort: null,
      engineSource: { paths: null, configs: {} },
      proxy: null,
      modelPrices: null,
      modelSilenceSeconds: 300,
      spendLimits: {
        fixup: { maxMicroUsd: 5_000_000, maxCalls: 200, maxTokens: null, maxTimeMs: null },
        pull_request: { maxMicroUsd: 15_000_000, maxCalls: 600, maxTokens: null, maxTimeMs: null },
        day: { maxMicroUsd: 50_000_000, maxCalls: 2_000, maxTokens: null, maxTimeMs: null },
        month: { maxMicroUsd: 250_000_000, maxCalls: 20_000, maxTokens: null, maxTimeMs: null },
      },
      registries: PUBLIC_REGISTRIES,
      setupHosts: [],
      toolchains: [],
      structuralMerge: null,
      sandbox: 'bwrap',
      sandboxUidBase: null,
      sandboxLimits: {
        maxMemoryBytes: null,
        maxProcesses: null,
        maxDiskBytes: 8 * 1024 ** 3,
        maxDiskEntries: 500_000,
      },
      fixupConcurrency: 2,
      evaluateConcurrency: 8,
      recheckSeconds: 300,
      userSessionIdleSeconds: 600,
      adminToken: null,
      maxMirrorBytes: 20 * 1024 ** 3,
      maxRepositoryBytes: 2 * 1024 ** 3,
      gitTimeoutSeconds: 300,
      policyFile: null,
      commitEmail: null,
      signsOff: false,
    });
  });

  it('reads every setting that is given', () => {
    const environment = parseEnvironment({
      ...minimal,
      PRIVATE_KEY: undefined,
      PRIVATE_KEY_PATH: '/run/secrets/key.pem',
      WEBHOOK_SECRET_PREVIOUS: 'the-older-long-secret',
      PORT: '8080',
      HOST: '0.0.0.0',
      REDIS_URL: 'rediss://:pw@redis:6380/1',
      GHE_HOST: '127.0.0.1:4000',
      GHE_PROTOCOL: 'http',
      RATCHET_AGENT: 'fake',
      RATCHET_FAKE_AGENT_SCRIPT: 'demo/agent.ts',
      RATCHET_SANDBOX: 'unsafe-demo',
      RATCHET_SANDBOX_UID_BASE: '200000',
      RATCHET_SANDBOX_MAX_MEMORY_BYTES: '1073741824',
      RATCHET_SANDBOX_MAX_PROCESSES: '100',
      RATCHET_SANDBOX_MAX_DISK_BYTES: '2147483648',
      RATCHET_SANDBOX_MAX_FILES: '20000',
      RATCHET_USER_SESSION_IDLE_SECONDS: '30',
      RATCHET_ADMIN_TOKEN: 'an-admin-token-of-length',
      RATCHET_POLICY_FILE: '/etc/ratchet/policy.yml',
      RATCHET_COMMIT_EMAIL: 'bot@example.org',
      RATCHET_COMMIT_SIGNOFF: 'true',
    });

    expect(environment).toMatchObject({
      privateKey: { kind: 'file', path: '/run/secrets/key.pem' },
      webhookSecrets: ['a-long-enough-secret', 'the-older-long-secret'],
      port: 8080,
      host: '0.0.0.0',
      redisUrl: 'rediss://:pw@redis:6380/1',
      githubApiUrl: 'http://127.0.0.1:4000/api/v3',
      agents: { kind: 'one', entry: { name: 'fake', kind: 'fake', script: 'demo/agent.ts' } },
      sandbox: 'unsafe-demo',
      sandboxUidBase: 200_000,
      sandboxLimits: {
        maxMemoryBytes: 1024 ** 3,
        maxProcesses: 100,
        maxDiskBytes: 2 * 1024 ** 3,
        maxDiskEntries: 20_000,
      },
      userSessionIdleSeconds: 30,
      adminToken: 'an-admin-token-of-length',
      policyFile: '/etc/ratchet/policy.yml',
      commitEmail: 'bot@example.org',
      signsOff: true,
    });
  });

  it.each([
    ['no App id', { APP_ID: undefined }, 'APP_ID is required'],
    ['an App id in words', { APP_ID: 'mine' }, 'APP_ID must be a whole number'],
    ['no webhook secret', { WEBHOOK_SECRET: undefined }, 'WEBHOOK_SECRET is required'],
    ['an empty webhook secret', { WEBHOOK_SECRET: '' }, 'WEBHOOK_SECRET is required'],
    ['a short webhook secret', { WEBHOOK_SECRET: 'development' }, 'WEBHOOK_SECRET must have at least 16 characters'],
    [
      'a secret with a line end',
      { WEBHOOK_SECRET: 'a-long-enough-secret\n' },
      'WEBHOOK_SECRET must not begin or end with white space',
    ],
    ['no key at all', { PRIVATE_KEY: undefined }, 'exactly one of PRIVATE_KEY and PRIVATE_KEY_PATH is required'],
    ['two keys', { PRIVATE_KEY_PATH: 'key.pem' }, 'exactly one of PRIVATE_KEY and PRIVATE_KEY_PATH is required'],
    [
      'half a key',
      { PRIVATE_KEY: '-----BEGIN RSA PRIVATE KEY-----' },
      'PRIVATE_KEY must be the PEM of an RSA private key (as it is, with \\n for line ends, or base64)',
    ],
    ['a port out of range', { PORT: '70000' }, 'PORT must be from 0 to 65535'],
    ['another database', { REDIS_URL: 'http://localhost' }, 'REDIS_URL must be a redis:// or rediss:// address'],
    [
      'a host with a path',
      { GHE_HOST: 'ghe.test/api' },
      'GHE_HOST must be a host name, with a port if need be, and no path',
    ],
    [
      'clear text to another machine',
      { GHE_HOST: 'ghe.test', GHE_PROTOCOL: 'http' },
      'GHE_PROTOCOL may be http only with a GHE_HOST on this machine: tokens would travel in clear text',
    ],
    ['no agent', { RATCHET_AGENT: undefined }, 'RATCHET_AGENT is required'],
    [
      'a command in shell words',
      { RATCHET_AGENT_COMMAND: 'agent --flag' },
      'RATCHET_AGENT_COMMAND must be a JSON array of strings, the program first',
    ],
    [
      'an empty command',
      { RATCHET_AGENT_COMMAND: '[]' },
      'RATCHET_AGENT_COMMAND must be a JSON array of strings, the program first',
    ],
    [
      'no command',
      { RATCHET_AGENT_COMMAND: undefined },
      'RATCHET_AGENT_COMMAND is required with RATCHET_AGENT=command',
    ],
    [
      'no sandbox for a real agent',
      { RATCHET_SANDBOX: 'unsafe-demo' },
      'RATCHET_SANDBOX=unsafe-demo is no sandbox: it is accepted with RATCHET_AGENT=fake only',
    ],
    [
      'a misspelt setting',
      { RATCHET_FIXUP_CONCURENCY: '3' },
      'RATCHET_FIXUP_CONCURENCY is not known; did you mean RATCHET_FIXUP_CONCURRENCY?',
    ],
    [
      'a token that no header can carry',
      { RATCHET_ADMIN_TOKEN: 'an admin token of length' },
      'RATCHET_ADMIN_TOKEN must not hold white space',
    ],
    ['an invented setting', { RATCHET_COLOUR: 'red' }, 'RATCHET_COLOUR is not known'],
    [
      'another agent',
      { RATCHET_AGENT: 'copilot' },
      'RATCHET_AGENT must be claude, codex, gemini, opencode, acp, planner, command, or fake',
    ],
    [
      'an API that nobody speaks',
      { ...claude, RATCHET_MODEL_API: 'ollama' },
      'RATCHET_MODEL_API must be anthropic, openai or gemini',
    ],
    [
      'an agent without a key file',
      { ...claude, RATCHET_MODEL_KEY_FILE: '' },
      'RATCHET_MODEL_KEY_FILE is required with RATCHET_AGENT=claude',
    ],
    [
      'an agent without models',
      { ...claude, RATCHET_MODELS: undefined },
      'RATCHET_MODELS is required with RATCHET_AGENT=claude',
    ],
    [
      'the key itself',
      { ...claude, RATCHET_MODEL_KEY_FILE: 'sk-ant-hunter2' },
      'RATCHET_MODEL_KEY_FILE must be the absolute path of a file with the key',
    ],
    [
      'another API than that of the agent',
      { ...claude, RATCHET_MODEL_API: 'gemini' },
      'RATCHET_MODEL_API must be anthropic with RATCHET_AGENT=claude',
    ],
    [
      'an agent of any API without one',
      { ...claude, RATCHET_AGENT: 'opencode' },
      'RATCHET_MODEL_API is required with RATCHET_AGENT=opencode',
    ],
    [
      'a path of an agent by command',
      { RATCHET_AGENT_PATH: '/usr/bin/agent' },
      'RATCHET_AGENT_PATH has no meaning with RATCHET_AGENT=command',
    ],
    [
      'clear text to a model',
      { ...claude, RATCHET_MODEL_URL: 'http://models.test' },
      'RATCHET_MODEL_URL may be http only on this machine: what is sent would travel in clear text',
    ],
    [
      'a password in a URL',
      { ...claude, RATCHET_MODEL_URL: 'https://me:hunter2@models.test' },
      'RATCHET_MODEL_URL must hold no user and no password',
    ],
    [
      'a budget in words',
      { RATCHET_FIXUP_USD: 'five' },
      'RATCHET_FIXUP_USD must be an amount in USD (5 or 0.50), or none',
    ],
    ['a negative budget', { RATCHET_DAY_USD: '-1' }, 'RATCHET_DAY_USD must be an amount in USD (5 or 0.50), or none'],
    ['half a call', { RATCHET_MONTH_MODEL_CALLS: '0.5' }, 'RATCHET_MONTH_MODEL_CALLS must be a whole number, or none'],
    ['1e309 tokens', { RATCHET_DAY_MODEL_TOKENS: '1e309' }, 'RATCHET_DAY_MODEL_TOKENS must be a whole number, or none'],
    [
      'half a minute',
      { RATCHET_DAY_AGENT_MINUTES: '0.5' },
      'RATCHET_DAY_AGENT_MINUTES must be a whole number of minutes, or none',
    ],
    [
      'tokens below nothing',
      { RATCHET_DAY_MODEL_TOKENS: '-1' },
      'RATCHET_DAY_MODEL_TOKENS must be a whole number, or none',
    ],
    [
      'a pattern of repositories',
      { RATCHET_AGENT_REPOSITORIES: 'acme/*' },
      'RATCHET_AGENT_REPOSITORIES must list owners and repositories: acme, or acme/widget',
    ],
    [
      'one agent beside a file of agents',
      { RATCHET_AGENTS_FILE: '/etc/ratchet/agents.yml', RATCHET_AGENT_COMMAND: undefined },
      'RATCHET_AGENT and RATCHET_AGENTS_FILE exclude each other: the file says it for each agent',
    ],
    ['zero workers', { RATCHET_FIXUP_CONCURRENCY: '0' }, 'RATCHET_FIXUP_CONCURRENCY must be from 1 to 64'],
  ])('refuses %s', (_what, change, problem) => {
    expect(problemsOf({ ...minimal, ...change })).toEqual([problem]);
    expect(problem).not.toContain('hunter2');
  });

  it('reads the short form of an agent that calls a model', () => {
    const { agents, spendLimits, ...others } = parseEnvironment({
      ...{ ...minimal, ...claude, RATCHET_AGENT_PATH: '/opt/claude', RATCHET_MODELS: 'sonnet, opus haiku' },
      ...{ RATCHET_MODEL_URL: 'http://127.0.0.1:8080/anthropic/', RATCHET_MODEL_MAX_OUTPUT_TOKENS: '8000' },
      ...{ RATCHET_MODEL_PRICES: 'prices.yml', RATCHET_MODEL_SILENCE_SECONDS: '60' },
      ...{
        RATCHET_FIXUP_USD: '0.29',
        RATCHET_PULL_REQUEST_USD: 'none',
        RATCHET_DAY_USD: '0',
        RATCHET_MONTH_USD: '100',
      },
      ...{ RATCHET_FIXUP_MODEL_CALLS: '0', RATCHET_PULL_REQUEST_MODEL_CALLS: '5', RATCHET_DAY_MODEL_CALLS: 'none' },
      ...{ RATCHET_FIXUP_MODEL_TOKENS: '2000000', RATCHET_DAY_MODEL_TOKENS: '0', RATCHET_MONTH_MODEL_TOKENS: 'none' },
      ...{ RATCHET_FIXUP_AGENT_MINUTES: '20', RATCHET_PULL_REQUEST_AGENT_MINUTES: '0' },
      ...{ RATCHET_DAY_AGENT_MINUTES: 'none', RATCHET_MONTH_AGENT_MINUTES: '1000' },
      ...{ RATCHET_AGENT_REPOSITORIES: 'acme, octo/widget.js' },
    });
    expect(agents).toEqual({
      kind: 'one',
      entry: {
        ...{ name: 'claude', kind: 'claude', path: '/opt/claude', url: 'http://127.0.0.1:8080/anthropic' },
        ...{ keyFile: '/run/anthropic.key', models: ['sonnet', 'opus', 'haiku'], maxOutputTokens: 8000 },
        command: ['agent', '--flag'],
      },
    });
    expect(spendLimits).toEqual({
      fixup: { maxMicroUsd: 290_000, maxCalls: 0, maxTokens: 2_000_000, maxTimeMs: 1_200_000 },
      pull_request: { maxMicroUsd: null, maxCalls: 5, maxTokens: null, maxTimeMs: 0 },
      day: { maxMicroUsd: 0, maxCalls: null, maxTokens: 0, maxTimeMs: null },
      month: { maxMicroUsd: 100_000_000, maxCalls: 20_000, maxTokens: null, maxTimeMs: 60_000_000 },
    });
    expect(others).toMatchObject({
      modelPrices: 'prices.yml',
      modelSilenceSeconds: 60,
      agentRepositories: ['acme', 'octo/widget.js'],
    });
  });

  it('takes a file of agents in place of one', () => {
    const file = { RATCHET_AGENT: '', RATCHET_AGENT_COMMAND: '', RATCHET_AGENTS_FILE: '/etc/ratchet/agents.yml' };
    expect(parseEnvironment({ ...minimal, ...file, RATCHET_MODEL_PRICES: 'prices.yml' }).agents).toEqual({
      kind: 'file',
      path: '/etc/ratchet/agents.yml',
    });
  });
  it('passes over the settings of the command line, which may stand in the same shell', () => {
    const others = {
      RATCHET_URL: 'http://127.0.0.1:3000',
      RATCHET_PATHS: 'src:test',
      RATCHET_CACHE_DIR: '/var/cache/ratchet',
      RATCHET_ESLINT_CONFIG: 'eslint.config.js',
    };

    expect(() => parseEnvironment({ ...minimal, ...others })).not.toThrow();
  });

  it('takes scope and configuration of engines, and an empty scope for one that switches off (000.R2, 000.R21)', () => {
    const sourceOf = (given: Readonly<Record<string, string>>) =>
      parseEnvironment({ ...minimal, ...given }).engineSource;

    expect(sourceOf({})).toEqual({ paths: null, configs: {} });
    expect(sourceOf({ RATCHET_PATHS: 'src:lib', RATCHET_GO_VET_CONFIG: 'go.toml' })).toEqual({
      ...{ paths: ['src', 'lib'], configs: { GO_VET: 'go.toml' } },
    });
    expect(sourceOf({ RATCHET_PATHS: '' }).paths).toEqual([]);
    expect(problemsOf({ RATCHET_PATHS: 'src:/srv/app' })).toContain(
      'RATCHET_PATHS: "/srv/app" leads outside of the repository',
    );
  });

  it('lists every problem at once and no secret', () => {
    const problems = problemsOf({
      WEBHOOK_SECRET: 'hunter2',
      PORT: 'x',
      RATCHET_SANDBOX: 'unsafe-demo',
      RATCHET_AGENT_COMAND: '[]',
    });

    expect(problems).toEqual([
      'APP_ID is required',
      'WEBHOOK_SECRET must have at least 16 characters',
      'PORT must be a whole number',
      'RATCHET_AGENT is required',
      'RATCHET_AGENT_COMAND is not known; did you mean RATCHET_AGENT_COMMAND?',
      'exactly one of PRIVATE_KEY and PRIVATE_KEY_PATH is required',
      'RATCHET_SANDBOX=unsafe-demo is no sandbox: it is accepted with RATCHET_AGENT=fake only',
    ]);
    expect(problems.join()).not.toContain('hunter2');
  });
});

describe('parsePrivateKey', () => {
  it.each([
    ['as it is', pem],
    ['with written-out line ends', pem.replaceAll('\n', '\\n')],
    ['with the line ends of Windows', pem.replaceAll('\n', '\r\n')],
    ['as base64', Buffer.from(pem).toString('base64')],
  ])('reads a key %s', (_how, value) => {
    expect(parsePrivateKey(value)).toBe(pem);
  });

  it('refuses a key that was cut, and one of another kind', () => {
    const lines = pem.split('\n');
    const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

    expect(parsePrivateKey(lines.toSpliced(3, 1).join('\n'))).toBeNull();
    expect(parsePrivateKey(elliptic.export({ type: 'pkcs8', format: 'pem' }).toString())).toBeNull();
  });

  it.each(['', 'nonsense', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'])('refuses %j', (value) => {
    expect(parsePrivateKey(value)).toBeNull();
  });
});
