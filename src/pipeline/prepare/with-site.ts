import type { RunId } from '../../core/model/ids.ts';
import type { Site, SiteCommand, SiteOutcome, SiteRequest } from '../../ports/site.ts';
import type { Deps } from '../deps.ts';

/** The minimum isolation for code of a pull request. */
export const SEALED = {
  network: 'none',
  limits: 'enforced',
  isolation: 'full',
} as const satisfies Partial<SiteRequest>;

/**
 * Opens a site for `work` and closes it afterwards. `work` must not open another one: see `Sites`. With relays, the network of the
 * site and of its commands is `relays`.
 */
export async function withSite<Result>(
  { sites }: Pick<Deps, 'sites'>,
  { relays = [], ...request }: Omit<SiteRequest, keyof typeof SEALED>,
  signal: AbortSignal,
  work: (site: Site) => Promise<Result>,
): Promise<Result> {
  const network = relays.length === 0 ? SEALED.network : 'relays';
  const site = await sites.open({ ...request, ...SEALED, network, relays }, signal);
  try {
    return await work(site);
  } finally {
    await site.close();
  }
}

/** A command with an empty home folder. */
export function toCommand(
  command: Pick<SiteCommand, 'argv' | 'timeoutMs' | 'maxOutputBytes'> & Partial<SiteCommand>,
): SiteCommand {
  return { env: {}, cwd: '.', stdin: '', network: SEALED.network, keepsHome: false, removes: [], ...command };
}

/** A shell command of the policy. */
export function toShellCommand(line: string, limits: Pick<SiteCommand, 'timeoutMs' | 'maxOutputBytes'>): SiteCommand {
  return toCommand({ argv: ['/bin/sh', '-c', line], ...limits });
}

/** Runs a command and stores its output as the artifacts `<name>.stdout.log` and `<name>.stderr.log`. */
export async function runKept(
  { files }: { readonly files: Pick<Deps['files'], 'writeArtifact'> },
  { site, runId, name }: { readonly site: Pick<Site, 'run'>; readonly runId: RunId; readonly name: string },
  command: SiteCommand,
  signal: AbortSignal,
): Promise<SiteOutcome> {
  const outcome = await site.run(command, signal);
  for (const stream of ['stdout', 'stderr'] as const) {
    // A command that the sandbox could not start wrote nothing: the reason is kept in its place.
    const why = stream === 'stderr' && outcome.kind === 'not_started' ? outcome.stderrTail : null;
    await files.writeArtifact(runId, `${name}.${stream}.log`, why ?? outcome.read(stream));
  }
  return outcome;
}

/** Whether the command exited with 0 and left no processes. */
export function isSuccess({ kind, exitCode, processesLeft }: SiteOutcome): boolean {
  return kind === 'exited' && exitCode === 0 && processesLeft === 0;
}
