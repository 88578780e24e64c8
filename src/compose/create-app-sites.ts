import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HostMergeTool } from '../adapters/merge-tools/create-mergiraf.ts';
import { createRegistries } from '../adapters/registry/create-registries.ts';
import { createBubblewrapSandbox } from '../adapters/sandbox/create-bubblewrap-sandbox.ts';
import { createUnsafeSandbox } from '../adapters/sandbox/create-unsafe-sandbox.ts';
import { prepareToolsDir } from '../adapters/sandbox/prepare-tools-dir.ts';
import type { SandboxLimits } from '../adapters/sandbox/to-bwrap-argv.ts';
import { createSandboxSites, OF_ISOLATION, type SandboxSitesOptions } from '../adapters/sites/create-sandbox-sites.ts';
import type { Environment } from '../config/environment.ts';
import type { AgentSettings } from '../core/model/agent-settings.ts';
import { ConfigError } from '../core/model/errors.ts';
import type { Deps } from '../pipeline/deps.ts';
import type { Log } from '../ports/log.ts';
import type { SiteProbe } from '../ports/site.ts';
import { createAppAgents } from './create-app-agents.ts';
import { findMergeTool } from './find-merge-tool.ts';
import { findToolchains } from './find-toolchains.ts';

export interface AppSitesInput {
  readonly environment: Pick<
    Environment,
    'fixupConcurrency' | 'registries' | 'sandbox' | 'sandboxLimits' | 'setupHosts' | 'structuralMerge' | 'toolchains'
  > & { readonly agents: Environment['agents'] | null };
  /** The operator's agents, the default first: those of `readAgents`. */
  readonly agents: readonly AgentSettings[];
  readonly isRoot: boolean;
  /** Absolute path of the running Node. Sites get a copy. */
  readonly nodePath: string;
  readonly fakeAgentProgram: string;
  /** The bundled client of the Agent Client Protocol. Needed only if an agent is driven by it. */
  readonly acpClientProgram: string;
  /** The bundled program of the planner. Needed only if an agent is one. */
  readonly plannerProgram: string;
}

export interface AppSites extends Pick<Deps, 'agents' | 'mergeTool' | 'registries' | 'sites'> {
  /** Whether the sandbox can run. */
  readonly found: SiteProbe;
}

const PROBE_TIMEOUT_MS = 60_000;
const MAX_DEPENDENCY_SETS = 200;

/**
 * Creates the agent and the sites for all code of pull requests. If the sandbox cannot run, the App starts anyway and says so on
 * each pull request; a warning is logged here.
 * @throws ConfigError if a file that the agent needs is missing.
 */
export async function createAppSites(
  input: AppSitesInput,
  parts: Pick<SandboxSitesOptions, 'trees' | 'dataDir' | 'log' | 'newId'> & {
    readonly uidBase: number;
    /** Group of all slots; null if the service does not run as root. */
    readonly slotGid: number | null;
    /** Each has its own slot, in addition to those of fixups. */
    readonly enginesAtOnce: number;
  },
): Promise<AppSites> {
  const { environment, isRoot, nodePath } = input;
  const { trees, dataDir, log, newId, uidBase, slotGid, enginesAtOnce } = parts;
  const tools = await prepareToolsDir({ dataDir, nodePath, programs: listPrograms(input), newId });
  const { toolsDir } = tools;
  const isIsolated = environment.sandbox !== 'unsafe-demo';
  const shared = { slots: environment.fixupConcurrency + enginesAtOnce, toolsDir, log, newId };
  const sandbox = isIsolated
    ? createBubblewrapSandbox({
        ...shared,
        uidBase,
        gid: slotGid ?? uidBase,
        isRoot,
        dataDir,
        limits: toSandboxLimits(environment),
      })
    : createUnsafeSandbox(shared);
  const { agents, programs } = await createAppAgents(input, { tools, log });
  const mergeTool = await takeMergeTool(environment, { nodePath, log });
  const slot = { index: 0, uid: isRoot ? uidBase : null, gid: slotGid };
  const sites = createSandboxSites({
    ...{ sandbox, trees, dataDir, log, newId, isIsolated, slotGid },
    maxDependencySets: MAX_DEPENDENCY_SETS,
    toolchains: await findToolchains(environment.toolchains, { toolsDir, slot }),
    programs: mergeTool === null ? programs : { ...programs, [mergeTool.programs]: () => mergeTool.mounts },
    waived: isIsolated ? [] : OF_ISOLATION,
  });
  const found = await sites.probe(AbortSignal.timeout(PROBE_TIMEOUT_MS));
  if (found.kind === 'ok') log.info({ profile: found.profile }, 'sandbox found');
  else log.warn({ why: found.why }, 'the sandbox cannot run, no fixup will be launched');
  const { registries: roots, setupHosts: hosts } = environment;
  const socketsDir = join(dataDir, 'sockets');
  const registries = isIsolated ? createRegistries({ roots, hosts, socketsDir, slotGid, newId }) : null;
  return { agents, mergeTool, sites, registries, found };
}

/** The operator's merge tool. @throws ConfigError if the named program cannot be used. */
async function takeMergeTool(
  environment: AppSitesInput['environment'],
  { nodePath, log }: { readonly nodePath: string; readonly log: Log },
): Promise<HostMergeTool | null> {
  const found = await findMergeTool(environment, nodePath);
  if (found.kind === 'missing' && found.isWanted) throw new ConfigError([`RATCHET_STRUCTURAL_MERGE: ${found.why}`]);
  if (found.kind !== 'found') return null;
  const { name, version } = found.tool;
  log.info({ tool: name, version }, 'merge tool found');
  return found.tool;
}

function toSandboxLimits({ sandboxLimits }: AppSitesInput['environment']): Partial<SandboxLimits> {
  const { maxMemoryBytes, maxProcesses, ...limits } = sandboxLimits;
  return {
    ...limits,
    ...(maxMemoryBytes === null ? {} : { maxMemoryBytes }),
    ...(maxProcesses === null ? {} : { maxProcesses }),
  };
}

/** The programs of Ratchet's own that agents need. */
function listPrograms(input: AppSitesInput): readonly string[] {
  const bundled = { acp: input.acpClientProgram, planner: input.plannerProgram };
  const needed = Object.entries(bundled).filter(([kind]) => input.agents.some((agent) => agent.kind === kind));
  const missing = needed.filter(([, program]) => !existsSync(program));
  if (missing.length === 0) return [input.fakeAgentProgram, ...needed.map(([, program]) => program)];
  throw new ConfigError(
    missing.map(([kind, program]) => `agents of the kind ${kind} need ${program}, which \`npm run build\` makes`),
  );
}
