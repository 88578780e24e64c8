import { join } from 'node:path';
import { createAgents } from '../adapters/agents/create-agents.ts';
import { createCommandAgent } from '../adapters/agents/create-command-agent.ts';
import { createFakeAgent } from '../adapters/agents/create-fake-agent.ts';
import type { HostAgent } from '../adapters/agents/find-program.ts';
import { createRegistries } from '../adapters/registry/create-registries.ts';
import { createBubblewrapSandbox } from '../adapters/sandbox/create-bubblewrap-sandbox.ts';
import { createUnsafeSandbox } from '../adapters/sandbox/create-unsafe-sandbox.ts';
import { prepareToolsDir, type Tools } from '../adapters/sandbox/prepare-tools-dir.ts';
import {
  createSandboxSites,
  OF_ISOLATION,
  ROOT,
  type SandboxSitesOptions,
} from '../adapters/sites/create-sandbox-sites.ts';
import type { Environment } from '../config/environment.ts';
import { ConfigError } from '../core/model/errors.ts';
import type { Deps } from '../pipeline/deps.ts';
import { findToolchains } from './find-toolchains.ts';

export interface AppSitesInput {
  readonly environment: Environment;
  readonly isRoot: boolean;
  /** Absolute path of the running Node. Sites get a copy. */
  readonly nodePath: string;
  readonly fakeAgentProgram: string;
}

const PROBE_TIMEOUT_MS = 30_000;
const MAX_DEPENDENCY_SETS = 200;

/**
 * Creates the agent and the sites for all code of pull requests. If the sandbox cannot run, the App starts anyway and says so on
 * each pull request; a warning is logged here.
 * @throws ConfigError if a file that the agent needs is missing.
 */
export async function createAppSites(
  { environment, isRoot, nodePath, fakeAgentProgram }: AppSitesInput,
  parts: Pick<SandboxSitesOptions, 'trees' | 'dataDir' | 'log' | 'newId'> & {
    readonly uidBase: number;
    /** Each has its own slot, in addition to those of fixups. */
    readonly enginesAtOnce: number;
  },
): Promise<Pick<Deps, 'agents' | 'registries' | 'sites'>> {
  const { trees, dataDir, log, newId, uidBase, enginesAtOnce } = parts;
  const tools = await prepareToolsDir({ dataDir, nodePath, programs: [fakeAgentProgram], newId });
  const { toolsDir } = tools;
  const isIsolated = environment.sandbox !== 'unsafe-demo';
  const shared = { slots: environment.fixupConcurrency + enginesAtOnce, toolsDir, log, newId };
  const sandbox = isIsolated
    ? createBubblewrapSandbox({ ...shared, uidBase, gid: uidBase, isRoot, dataDir })
    : createUnsafeSandbox(shared);
  const agent = createAgent(environment, tools);
  const able = await agent.check();
  if (able.kind === 'unavailable') throw new ConfigError([`RATCHET_AGENT: ${able.why}`]);
  const slotGid = isRoot ? uidBase : null;
  const slot = { index: 0, uid: slotGid, gid: slotGid };
  const sites = createSandboxSites({
    ...{ sandbox, trees, dataDir, log, newId, isIsolated, slotGid },
    maxDependencySets: MAX_DEPENDENCY_SETS,
    toolchains: await findToolchains(environment.toolchains, { toolsDir, slot }),
    programs: { [agent.name]: agent.mounts },
    waived: isIsolated ? [] : OF_ISOLATION,
  });
  const found = await sites.probe(AbortSignal.timeout(PROBE_TIMEOUT_MS));
  if (found.kind === 'ok') log.info({ profile: found.profile }, 'sandbox found');
  else log.warn({ why: found.why }, 'the sandbox cannot run, no fixup will be launched');
  const { registries: roots, setupHosts: hosts } = environment;
  const socketsDir = join(dataDir, 'sockets');
  const registries = isIsolated ? createRegistries({ roots, hosts, socketsDir, slotGid, newId }) : null;
  return { agents: createAgents([agent]), sites, registries };
}

function createAgent({ agent }: Environment, { nodePath, programPaths: [programPath = ''] }: Tools): HostAgent {
  return agent.kind === 'command'
    ? createCommandAgent({ name: 'command', argv: agent.argv, env: {}, siteRoot: ROOT })
    : createFakeAgent({ scriptPath: agent.script, nodePath, programPath, env: {} });
}
