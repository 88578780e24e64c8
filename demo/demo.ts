/**
 * `npm run demo`: takes a pull request from red to green on a local GitHub and prints each step. Options: `--scenario
 * full` adds a conflict and a review comment, `--scenario real` takes a package of npm with its tests and dependencies, `--keep` keeps
 * the local GitHub running, `--save FILE` writes the check run as JSON, `--agent` replaces the scripted agent:
 * `claude`, `codex`, `gemini` or `opencode` with `--key-file FILE` (and `--agent-path`, `--api`, `--model`, `--model-url`, `--usd`),
 * or a JSON array: program and arguments.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findAssets } from '../src/cli/find-assets.ts';
import { type App, startApp } from '../src/compose/compose-app.ts';
import { parseEnvironment } from '../src/config/environment.ts';
import { readAgents } from '../src/config/read-agents.ts';
import { ConfigError } from '../src/core/model/errors.ts';
import { NO_OPERATOR_POLICY } from '../src/core/policy/operator-policy.ts';
import { startWorld, type World } from '../world/start-world.ts';
import { type AgentVariables, toAgentVariables } from './agent-variables.ts';
import { createNarrator, type Narrator } from './narrator.ts';
import { chooseSandbox, makeDataDir, removeDataDir, UID_BASE } from './place.ts';
import { BROKEN_TEST } from './scenarios/broken-test.ts';
import { FULL } from './scenarios/full.ts';
import { REAL } from './scenarios/real.ts';
import { CannotPlayError, MAINTAINER, type Scenario } from './scenarios/scenario.ts';

/** Real agents take their time. */
const LONGEST_MS = 15 * 60_000;

interface DemoOptions {
  readonly keep: boolean;
  /** Where the check run is written; null: nowhere. */
  readonly save: string | null;
  /** null: the scripted agent. */
  readonly agent: (AgentVariables & { readonly kind: 'ok' }) | null;
  readonly scenario: Scenario;
}

const SCENARIOS: ReadonlyMap<string, Scenario> = new Map([
  ['broken-test', BROKEN_TEST],
  ['full', FULL],
  ['real', REAL],
]);

async function main(options: DemoOptions): Promise<number> {
  const dataDir = await makeDataDir();
  const sandbox = await chooseSandbox(dataDir);
  if (sandbox.kind === 'none' && (options.agent !== null || options.scenario.needsSandbox)) {
    await removeDataDir(dataDir);
    const needs = options.agent === null ? 'this scenario needs one' : 'only the scripted agent may run without one';
    throw new CannotPlayError(`No sandbox can run here (${sandbox.why}), and ${needs}.`);
  }
  const world = await startWorld();
  const narrator = createNarrator(world, options.scenario.repository);
  narrator.say(options.agent?.said ?? 'The agent is a scripted one: no model is asked.');
  if (sandbox.kind === 'none') {
    narrator.say(
      `bubblewrap cannot run here (${sandbox.why}): the scripted agent runs WITHOUT a sandbox, in this demo only.`,
    );
  }
  try {
    const app = await start(world, { ...options, dataDir, isSandboxed: sandbox.kind === 'bwrap', narrator });
    try {
      return await play(world, narrator, options);
    } finally {
      await app.stop();
    }
  } finally {
    await world.close();
    await removeDataDir(dataDir);
  }
}

async function start(
  world: World,
  how: DemoOptions & { readonly dataDir: string; readonly isSandboxed: boolean; readonly narrator: Narrator },
): Promise<App> {
  const agent = how.agent?.variables ?? {
    RATCHET_AGENT: 'fake',
    RATCHET_FAKE_AGENT_SCRIPT: await writeAgentScript(how),
  };
  const environment = parseEnvironment({
    APP_ID: String(world.app.id),
    PRIVATE_KEY: world.app.privateKey,
    WEBHOOK_SECRET: world.app.webhookSecret,
    HOST: '127.0.0.1',
    PORT: '0',
    GHE_HOST: new URL(world.url).host,
    GHE_PROTOCOL: 'http',
    LOG_LEVEL: 'debug',
    RATCHET_DATA_DIR: how.dataDir,
    RATCHET_SANDBOX: how.isSandboxed ? 'bwrap' : 'unsafe-demo',
    RATCHET_SANDBOX_UID_BASE: String(UID_BASE),
    ...agent,
  });
  const app = await startApp({
    environment,
    agents: await readAgents(environment),
    privateKey: world.app.privateKey,
    operatorPolicy: NO_OPERATOR_POLICY,
    logDestination: { write: how.narrator.hear },
    isRoot: process.getuid?.() === 0,
    nodePath: process.execPath,
    version: 'demo',
    ...findAssets(),
  });
  world.setWebhookUrl(`http://127.0.0.1:${String(app.port)}/api/github/webhooks`);
  return app;
}

async function writeAgentScript(how: Pick<DemoOptions, 'scenario'> & { readonly dataDir: string }): Promise<string> {
  const path = join(how.dataDir, 'agent-script.json');
  await writeFile(path, JSON.stringify(how.scenario.agentScript), { mode: 0o644 });
  return path;
}

async function play(world: World, narrator: Narrator, options: DemoOptions): Promise<number> {
  const { repository: repo, story, openPullRequest } = options.scenario;
  narrator.say(`A local GitHub runs at ${world.url}, the App is installed on ${repo}.`);
  const number = await openPullRequest(world);
  narrator.say(`Pull request #${String(number)} is open: ${story}.`);
  world.comment({ repo, number, login: MAINTAINER, body: '/ratchet enable' });
  narrator.say(`${MAINTAINER} comments: /ratchet enable`);
  await world.until(async () => (await readConclusion(world, repo, number)) !== null, {
    what: 'the check run Ratchet to conclude',
    timeoutMs: LONGEST_MS,
  });
  const conclusion = await readConclusion(world, repo, number);
  await tellEnd(world, narrator, { repo, number });
  if (options.save !== null) await saveCheckRun(world, { repo, number, file: options.save });
  if (options.keep) await keepRunning(world, narrator, repo);
  return conclusion === 'success' ? 0 : 1;
}

async function readConclusion(world: World, repo: string, number: number): Promise<string | null> {
  const [check] = await world.checkRuns(repo, number, { name: 'Ratchet' });
  return check?.conclusion ?? null;
}

async function tellEnd(
  world: World,
  narrator: Narrator,
  { repo, number }: { readonly repo: string; readonly number: number },
): Promise<void> {
  const [check] = await world.checkRuns(repo, number, { name: 'Ratchet' });
  const [commit] = await world.log(repo, number, 1);
  narrator.say(`The head is now ${commit?.sha.slice(0, 10) ?? '?'}: ${commit?.message.split('\n')[0] ?? ''}`);
  console.log(`\n── The check run as people read it on GitHub ${'─'.repeat(30)}\n`);
  console.log(`Ratchet · ${check?.conclusion ?? '?'} · ${check?.output.title ?? ''}\n`);
  console.log(toReadable(check?.output.summary ?? ''));
}

async function saveCheckRun(
  world: World,
  { repo, number, file }: { readonly repo: string; readonly number: number; readonly file: string },
): Promise<void> {
  const [check] = await world.checkRuns(repo, number, { name: 'Ratchet' });
  await writeFile(file, JSON.stringify(check ?? null, null, 2));
}

/** Removes Markdown escapes, which a terminal would show. */
function toReadable(markdown: string): string {
  return markdown.replace(/\\([!-/:-@[-`{-~])/g, '$1');
}

async function keepRunning(world: World, narrator: Narrator, repo: string): Promise<void> {
  narrator.say(`Left running: ${world.url} (API below /api/v3, git at /${repo}.git). Ctrl-C ends it.`);
  await new Promise((resolve) => process.once('SIGINT', resolve));
}

/** Returns the exit code. */
async function run(): Promise<number> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      scenario: { ...text, default: 'broken-test' },
      keep: { type: 'boolean', default: false },
      save: text,
      ...{ agent: text, 'key-file': text, 'agent-path': text, api: text, model: text, 'model-url': text },
      usd: { ...text, default: '1' },
    },
  });
  const scenario = SCENARIOS.get(values.scenario);
  if (scenario === undefined) {
    const known = [...SCENARIOS.keys()].join(', ');
    console.error(`There is no scenario ${JSON.stringify(values.scenario)}; there are ${known}.`);
    return 2;
  }
  const { agent: name } = values;
  const agent = name === undefined ? null : toAgentVariables({ ...values, agent: name }, process.env['PATH'] ?? '');
  if (agent?.kind === 'bad') {
    console.error(agent.why);
    return 2;
  }
  try {
    return await main({ keep: values.keep, save: values.save ?? null, agent, scenario });
  } catch (error) {
    if (error instanceof CannotPlayError) {
      console.error(error.message);
      return 3;
    }
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) console.error(problem);
    return 2;
  }
}

process.umask(0o022);
process.exitCode = await run();
