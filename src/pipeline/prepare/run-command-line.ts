import type { RunId } from '../../core/model/ids.ts';
import type { Mount, SandboxOutcome, SandboxSlot } from '../../ports/sandbox.ts';
import type { Deps } from '../deps.ts';
import { AGENT_HOME, toSandboxEnv, WORKSPACE } from './sandbox-layout.ts';

/** One command line of the policy, to be run in a fresh sandbox without network. */
export interface CommandLine {
  readonly command: string;
  /** Names its home folder and its output files: `setup-0`, `validate-1` … */
  readonly name: string;
  /** Host folder that is its workspace, given to the slot; it may write there. */
  readonly checkout: string;
  readonly dependencies: readonly Mount[];
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** Runs a command line by `sh -c` in the workspace, with a home of its own; its output is kept among the artifacts. */
export async function runCommandLine(
  deps: Pick<Deps, 'files' | 'sandbox'>,
  prepared: { readonly slot: SandboxSlot; readonly repository: { readonly runId: RunId } },
  line: CommandLine,
  signal: AbortSignal,
): Promise<SandboxOutcome> {
  const { repository, slot } = prepared;
  const home = await deps.files.makeFolder(repository.runId, `home-${line.name}`);
  await deps.sandbox.giveToSlot(home, slot);
  const artifacts = await deps.files.artifactsFolder(repository.runId);
  return deps.sandbox.run(
    {
      argv: ['/bin/sh', '-c', line.command],
      env: toSandboxEnv(deps.sandbox.toolsDir),
      cwd: WORKSPACE,
      stdin: '',
      mounts: [
        { source: line.checkout, target: WORKSPACE, writable: true },
        { source: home, target: AGENT_HOME, writable: true },
        ...line.dependencies,
      ],
      slot,
      timeoutMs: line.timeoutMs,
      maxOutputBytes: line.maxOutputBytes,
      stdoutPath: `${artifacts}/${line.name}.stdout.log`,
      stderrPath: `${artifacts}/${line.name}.stderr.log`,
    },
    signal,
  );
}
