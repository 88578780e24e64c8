import { toRawExit } from '../../core/engines/to-raw-exit.ts';
import type { RawExit } from '../../core/model/engine.ts';
import { toOutputText } from '../../engines/parse/to-output-text.ts';
import type { EngineHost, Invocation, InvocationResult } from '../../ports/engine-host.ts';
import type { Site, SiteOutcome, SiteRequest } from '../../ports/site.ts';
import type { Deps } from '../deps.ts';

/** The files that engines check, and how their sites are opened. */
export interface EngineGround
  extends Pick<
    EngineHost,
    'files' | 'submodules' | 'dependencies' | 'activePython' | 'has' | 'readText' | 'contentHash'
  > {
  /** Request for the site of each run. */
  readonly request: Omit<SiteRequest, 'name'>;
  /** Longest report that is read. */
  readonly maxReportBytes: number;
}

type HostDeps = Pick<Deps, 'log' | 'sites'>;

const MAX_WHY_LENGTH = 500;

/**
 * An `EngineHost` over sites. Each run gets its own site, opened with the first command and closed by `release`, so that no run sees
 * the files of another.
 */
export function createEngineHost(deps: HostDeps, { request, maxReportBytes, ...content }: EngineGround): EngineHost {
  const { sites } = deps;
  const { root, nodePath, artifacts } = sites.layout;
  const opened = new Map<string, Site>();
  const release = async (name: string): Promise<void> => {
    const site = opened.get(name);
    opened.delete(name);
    await site?.close();
  };
  return {
    ...content,
    root,
    nodePath,
    artifacts,
    release,
    run: async (invocation, signal) => {
      const { name, keepsArtifacts } = invocation;
      if (!keepsArtifacts) await release(name);
      const site = opened.get(name) ?? (await sites.open({ ...request, name }, signal));
      opened.set(name, site);
      return run(deps, { site, invocation, network: request.network, maxReportBytes }, signal);
    },
  };
}

async function run(
  { log, sites }: HostDeps,
  given: {
    readonly site: Site;
    readonly invocation: Invocation;
    readonly network: SiteRequest['network'];
    readonly maxReportBytes: number;
  },
  signal: AbortSignal,
): Promise<InvocationResult> {
  const { site, invocation, network, maxReportBytes } = given;
  const { name, argv, env, cwd, timeoutMs, maxOutputBytes, keepsArtifacts: keepsHome, reports: removes } = invocation;
  const { files: artifactFiles = {}, restores = [] } = invocation;
  const outcome = await site.run(
    {
      ...{ argv, cwd, timeoutMs, maxOutputBytes, network, keepsHome, removes, restores, stdin: '', artifactFiles },
      env: { FORCE_COLOR: '0', ...env },
    },
    signal,
  );
  const { processesLeft, stderrTail } = outcome;
  if (processesLeft > 0) log.warn({ site: name, processesLeft }, 'an engine left processes');
  // The error text may name folders of this machine, so it only goes to the log.
  if (outcome.kind === 'not_started')
    log.warn({ site: name, why: stderrTail.slice(0, MAX_WHY_LENGTH) }, 'an engine did not start');
  const reports: Record<string, string | null> = {};
  for (const report of invocation.reports) {
    const bytes = await site.readFile(`${sites.layout.artifacts(name)}/${report}`, maxReportBytes);
    reports[report] = bytes === null ? null : toOutputText([bytes]);
  }
  const [stdout, stderr] = [await readText(outcome, 'stdout'), await readText(outcome, 'stderr')];
  return { exit: await toExit(outcome, site, cwd), stdout, stderr, reports };
}

/** A missing working directory gives the same system error as a missing program. */
async function toExit(outcome: SiteOutcome, site: Site, cwd: string): Promise<RawExit> {
  const exit = toRawExit(outcome);
  return exit.kind === 'not_found' && !(await site.has(cwd)) ? { ...exit, kind: 'not_launched' } : exit;
}

async function readText({ read }: SiteOutcome, stream: 'stdout' | 'stderr'): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of read(stream)) chunks.push(chunk);
  return toOutputText(chunks);
}
