import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Behavior, BehaviorScope } from '../../world/models/behavior.ts';
import type { Models } from '../../world/models/start-models.ts';
import { type Stage, setStage } from './e2e.ts';
import type { FakeCli } from './fake-cli.ts';
import type { LogLine, Ratchet } from './ratchet-process.ts';
import { openRedPullRequest, QUICK_POLICY, type RedOptions, type RedPullRequest, WRITER } from './red-repository.ts';

/** One agent of the stage. Its owner and its repository have its name, and so has its model if none is given. */
export interface StagedAgent {
  readonly name: string;
  readonly kind: FakeCli;
  readonly path: string;
  readonly model?: string;
  /** Arguments by which its program speaks the Agent Client Protocol. It is driven by that then. */
  readonly acp?: readonly string[];
  /** How its model answers; default: it follows its script. */
  readonly behavior?: Behavior;
  readonly scope?: Omit<BehaviorScope, 'model'>;
}

/** The App with agents that call a scripted model through the gateway. */
export interface AgentStage extends Stage {
  readonly models: Models;
  readonly ratchet: Ratchet;
  /** The key of the model, which nobody but the gateway may ever have. */
  readonly key: string;
  /** Opens the red pull request of an agent and enables it. */
  readonly enable: (agent: string, options?: RedOptions) => Promise<RedPullRequest>;
  /** The end of the first fixup of that agent. */
  readonly untilCompleted: (agent: string) => Promise<LogLine>;
  /** Where the key is that nobody may have: files of the App's, lines of its log, texts on GitHub. The App must have ended. */
  readonly findKey: () => Promise<readonly string[]>;
}

/** What an agent can see. The pattern does not match itself. */
const LOOK = [
  'node sum.test.mjs',
  "grep -rlsE 'canary-[0-9a-f]{8}-' /workspace /home /tmp /ratchet /run /proc/[0-9]*/environ /proc/[0-9]*/cmdline | sed 's/^/LEAK /'",
  'echo looked everywhere',
].join('; ');

const PRICE = { input: 3, cached: 0.3, written: 3.75, output: 15 };
const APIS: Readonly<Record<FakeCli, string>> = {
  claude: 'anthropic',
  codex: 'openai',
  gemini: 'gemini',
  opencode: 'openai',
};

/** Sets the stage. Each agent has a key file of its own, with the same key. */
export async function setAgentStage(
  agents: readonly StagedAgent[],
  env: Readonly<Record<string, string>> = {},
): Promise<AgentStage> {
  const stage = await setStage();
  const reds: RedPullRequest[] = [];
  const key = `canary-${randomUUID()}`;
  const folder = await mkdtemp(join(tmpdir(), 'ratchet-agents-'));
  const models = await stage.world.startModels({
    key,
    script: {
      steps: [
        { do: 'read', file: '/ratchet/evidence/check-1.txt' },
        { do: 'read', file: 'sum.mjs' },
        { do: 'edit', file: 'sum.mjs', find: 'left - right', replace: 'left + right' },
        { do: 'run', command: LOOK },
      ],
    },
  });
  for (const { name, behavior, scope } of agents) {
    if (behavior !== undefined) models.behave(behavior, { ...scope, model: name });
  }
  const file = join(folder, 'agents.json');
  await writeFile(file, JSON.stringify({ agents: await Promise.all(agents.map((agent) => toEntry(agent))) }));
  const ratchet = await stage.start({
    script: {},
    env: {
      ...{ RATCHET_AGENT: '', RATCHET_FAKE_AGENT_SCRIPT: '', RATCHET_AGENTS_FILE: file },
      ...{ RATCHET_AGENT_REPOSITORIES: agents.map(({ name }) => name).join(','), ...env },
    },
  });

  async function toEntry({ name, kind, path, acp, model: known = name }: StagedAgent): Promise<object> {
    const keyFile = join(folder, `${name}.key`);
    await writeFile(keyFile, `${key}\n`, { mode: 0o400 });
    const model = { api: APIS[kind], url: models.url, keyFile, models: [known], prices: { [known]: PRICE } };
    return acp === undefined
      ? { name, kind, path, ...model }
      : { name, kind: 'acp', command: [path, ...acp], ...model };
  }

  return {
    ...stage,
    ...{ models, ratchet, key },
    enable: async (agent, options = {}) => {
      const policy = toPolicy(options.policy ?? QUICK_POLICY, agent);
      const red = await openRedPullRequest(stage.world, { ...options, owner: agent, name: agent, policy });
      stage.world.comment({ ...red, login: WRITER, body: '/ratchet enable' });
      reds.push(red);
      return red;
    },
    untilCompleted: async (agent) => {
      const isAbout = (line: LogLine): boolean => line['agent'] === agent;
      return ratchet.untilLog(
        (line) => line.msg === 'fixup completed' && isAbout(line),
        `the fixup of ${agent}`,
        isAbout,
      );
    },
    findKey: async () => {
      const texts = await Promise.all(
        reds.map(async ({ repo, number }): Promise<[string, string]> => {
          const checks = await stage.world.checkRuns(repo, number, {});
          return [`${repo} on GitHub`, JSON.stringify([checks, stage.world.comments(repo, number)])];
        }),
      );
      const lines = ratchet.lines.map((line): [string, string] => ['the log', JSON.stringify(line)]);
      const found = [...texts, ...lines].filter(([, text]) => text.includes(key)).map(([place]) => place);
      return [...found, ...(await findInFiles(ratchet.dataDir, key))];
    },
    close: async () => {
      await stage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The policy, with the agent named in its section `agent`. */
function toPolicy(policy: string, agent: string): string {
  const [before = '', section = ''] = policy.split(/^agent:\n/mu);
  return `${before}agent:\n  name: ${agent}\n${section}`;
}

async function findInFiles(folder: string, key: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found = [];
  for (const file of files) {
    // Node itself is there, and files come and go.
    if (!file.includes('/tools/') && (await readFile(file).catch(() => '')).includes(key)) found.push(file);
  }
  return found;
}
