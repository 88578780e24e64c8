import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModelProbe } from '../adapters/gateway/create-model-gateway.ts';
import { createKeyFiles } from '../adapters/gateway/key-files.ts';
import { checkGit } from '../adapters/git/check-git.ts';
import { DEFAULT_GIT_PATH } from '../adapters/git/create-git.ts';
import { createAppReader } from '../adapters/github/create-app-reader.ts';
import { createMachine } from '../adapters/machine/create-machine.ts';
import { pingRedis } from '../adapters/queue/ping-redis.ts';
import { createBubblewrapSandbox } from '../adapters/sandbox/create-bubblewrap-sandbox.ts';
import { lookForCgroups } from '../adapters/sandbox/limits/find-cgroups.ts';
import { prepareToolsDir } from '../adapters/sandbox/prepare-tools-dir.ts';
import { inspectDatabase } from '../adapters/store/inspect-database.ts';
import type { Environment } from '../config/environment.ts';
import type { DoctorCheck } from '../core/doctor/doctor-check.ts';
import type { AgentSettings } from '../core/model/agent-settings.ts';
import { examineGitHub } from '../pipeline/doctor/examine-github.ts';
import {
  examineAgents,
  examineFolders,
  examineMergeTool,
  examineModels,
  examineNoSandbox,
  examineRedis,
  examineRegistries,
  examineSandbox,
} from '../pipeline/doctor/examine-machine.ts';
import { type Examination, runExaminations } from '../pipeline/doctor/run-examinations.ts';
import type { Agent } from '../ports/agent.ts';
import type { Machine } from '../ports/machine.ts';
import type { SiteProbe } from '../ports/site.ts';
import { DEFAULT_UID_BASE, ENGINES_AT_ONCE, toLiveSecrets, USER_AGENT } from './app-parts.ts';
import { toProxyEnv, useProxy } from './connect-outbound.ts';
import { createAgent } from './create-app-agents.ts';
import { DIAGNOSIS_LIMITS } from './diagnose-start.ts';
import { findMergeTool } from './find-merge-tool.ts';
import { createLiveSecrets } from './live-secrets.ts';
import { SILENT } from './silent-log.ts';

/** What a diagnosis looks at. */
export interface DoctorInput {
  readonly environment: Environment;
  /** Private key of the App, PEM. */
  readonly privateKey: string;
  readonly agents: readonly AgentSettings[];
  readonly isRoot: boolean;
  /** User id of this process; null where there are none. */
  readonly uid: number | null;
  readonly nodePath: string;
  readonly fakeAgentProgram: string;
  readonly migrationsDir: string;
  readonly fetch: typeof fetch;
  /** Whether each model is called once, which costs money. */
  readonly callsModels: boolean;
}

/** Looks at everything that Ratchet needs, beside a running service and without changing anything of it. */
export async function diagnose(input: DoctorInput, stop: AbortSignal): Promise<readonly DoctorCheck[]> {
  const { environment, privateKey } = input;
  useProxy(environment);
  const { redact, add } = createLiveSecrets(toLiveSecrets(environment, privateKey));
  const models = createModelProbe(createKeyFiles(add), toProxyEnv(environment));
  const newDeadline = (ms: number): AbortSignal => AbortSignal.any([stop, AbortSignal.timeout(ms)]);
  try {
    return await runExaminations({ redact, newDeadline }, toExaminations(input, models));
  } finally {
    models.upstream.close();
  }
}

function toExaminations(
  input: DoctorInput,
  models: Pick<ReturnType<typeof createModelProbe>, 'probe' | 'fingerprint'>,
): readonly Examination[] {
  const { environment, privateKey, callsModels } = input;
  const { appId, githubApiUrl: baseUrl, dataDir, redisUrl } = environment;
  const clock = { now: () => Date.now() };
  const machine = createWholeMachine(input);
  const app = createAppReader({
    ...{ appId, privateKey, baseUrl, clock, userAgent: USER_AGENT, log: SILENT },
    ...{ limits: DIAGNOSIS_LIMITS, fetch: input.fetch },
  });
  const agents = input.agents.map((settings) => toLazyAgent(settings, input));
  return [
    ...examineGitHub({ app, clock }, environment),
    ...examineFolders({ machine, clock }, { dataDir }),
    environment.sandbox === 'unsafe-demo'
      ? examineNoSandbox()
      : examineSandbox((signal) => probeSandbox(input, machine, signal)),
    ...examineAgents(models, agents),
    examineMergeTool(() => findMergeTool(environment, input.nodePath)),
    ...(callsModels ? examineModels(models, agents) : []),
    ...(redisUrl === null ? [] : [examineRedis((signal) => pingRedis(redisUrl, signal))]),
    ...examineRegistries(machine, toRegistries(environment)),
  ];
}

function createWholeMachine({ uid, migrationsDir, fetch: fetchNow }: DoctorInput): Machine {
  return {
    ...createMachine({ uid, fetch: fetchNow, userAgent: USER_AGENT }),
    readGitVersion: () => checkGit(DEFAULT_GIT_PATH),
    readDatabase: async (path) => inspectDatabase(path, migrationsDir),
  };
}

/** An agent that cannot be created fails its check, and no other one. */
function toLazyAgent(
  settings: AgentSettings,
  { nodePath, fakeAgentProgram }: DoctorInput,
): Pick<Agent, 'name' | 'kind' | 'endpoint' | 'check'> {
  const { name, kind, endpoint } = settings;
  const tools = { toolsDir: '', nodePath, programPaths: [fakeAgentProgram] };
  return { name, kind, endpoint, check: async () => await createAgent(settings, tools).check() };
}

/**
 * Probes a sandbox of its own: files of its own in the data folder if that can be used, and the user id that the service keeps for
 * its probe.
 */
async function probeSandbox(
  { environment, isRoot, nodePath }: DoctorInput,
  machine: Machine,
  signal: AbortSignal,
): Promise<SiteProbe> {
  const newId = (): string => randomBytes(15).toString('hex');
  const entry = await machine.readEntry(environment.dataDir);
  const isUsable = entry?.kind === 'folder' && entry.isWritable && entry.isOwn;
  const dataDir = await realpath(await mkdtemp(join(isUsable ? environment.dataDir : tmpdir(), 'doctor-')));
  try {
    // Users of the sandbox pass through to what is mounted.
    await chmod(dataDir, 0o711);
    const { toolsDir } = await prepareToolsDir({ dataDir, nodePath, newId });
    const uidBase = environment.sandboxUidBase ?? DEFAULT_UID_BASE;
    const sandbox = createBubblewrapSandbox({
      ...{ uidBase, gid: uidBase, isRoot, toolsDir, dataDir, newId, log: SILENT },
      cgroups: lookForCgroups,
      slots: environment.fixupConcurrency + ENGINES_AT_ONCE,
    });
    return await sandbox.probe(signal);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function toRegistries({ registries }: Environment): readonly { readonly name: string; readonly url: string }[] {
  return [
    { name: 'npm', url: registries.npm },
    { name: 'PyPI', url: registries.pypi },
    { name: 'Go', url: registries.go },
    { name: 'crates.io', url: registries.cargo },
  ];
}
