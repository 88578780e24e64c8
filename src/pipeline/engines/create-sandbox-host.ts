import { toRawExit } from '../../core/engines/to-raw-exit.ts';
import type { RunId, Sha } from '../../core/model/ids.ts';
import type { EngineHost, Invocation, InvocationResult } from '../../ports/engine-host.ts';
import type { SessionRepository } from '../../ports/git.ts';
import type { Mount, SandboxSlot } from '../../ports/sandbox.ts';
import type { Deps } from '../deps.ts';
import { AGENT_HOME, toSandboxEnv, WORKSPACE } from '../prepare/sandbox-layout.ts';
import { createPlaces, type Place } from './create-places.ts';
import { createSlots } from './create-slots.ts';
import { createTreeReader } from './create-tree-reader.ts';

/** One tree of a session that engines look at. */
export interface SandboxGround {
  readonly runId: RunId;
  readonly repository: SessionRepository;
  readonly treeSha: Sha;
  /** Names its folders: no other host of the session has it. A few lower-case letters. */
  readonly name: string;
  /** What the tree tracks. */
  readonly files: readonly string[];
  /** Prepared dependencies, below the workspace. */
  readonly mounts: readonly Mount[];
  readonly dependencies: EngineHost['dependencies'];
  /** Held by the caller. */
  readonly slot: SandboxSlot;
  /** How many run at one time, as far as there are slots. */
  readonly concurrency: number;
}

type HostDeps = Pick<Deps, 'files' | 'git' | 'log' | 'sandbox'>;

/** Where engines write their reports. */
const ARTIFACTS = '/ratchet/artifacts';
const STDOUT = 'stdout.log';
const STDERR = 'stderr.log';
const MAX_WHY_LENGTH = 500;
const MAX_REPORT_BYTES = 64 * 1024 * 1024;

/**
 * A tree of a pull request as an `EngineHost`: every run has a clean checkout of its own in a sandbox without network, so that
 * none sees what another one left, dependencies read-only, a home and a folder for reports. What is read of the tree comes from
 * git, never from a folder that code of the pull request could write to.
 */
export function createSandboxHost(deps: HostDeps, ground: SandboxGround, signal: AbortSignal): EngineHost {
  const { files, mounts } = ground;
  const withSlot = createSlots(deps.sandbox, { own: ground.slot, maxMore: ground.concurrency - 1 });
  const places = createPlaces(deps, ground, signal);
  const readTracked = createTreeReader(deps.git, ground, signal);
  const tracked = new Set(files);
  return {
    root: WORKSPACE,
    files: files.toSorted(),
    dependencies: ground.dependencies,
    nodePath: `${deps.sandbox.toolsDir}/bin/node`,
    artifacts: () => ARTIFACTS,
    contentHash: () => Promise.resolve(ground.treeSha),
    has: (path) => {
      if (tracked.has(path) || files.some((file) => file.startsWith(`${path}/`))) return Promise.resolve(true);
      const found = findMount(mounts, path);
      return found === null ? Promise.resolve(false) : deps.files.hasPrepared(found.source, found.rest);
    },
    readText: (path, maxBytes) => {
      if (tracked.has(path)) return readTracked(path, maxBytes);
      const found = findMount(mounts, path);
      return found === null ? Promise.resolve(null) : deps.files.readPrepared(found.source, found.rest, maxBytes);
    },
    run: async (invocation, stop) => {
      const place = await places.take(invocation);
      return withSlot((slot) => run({ deps, mounts }, { place, invocation, slot }, stop), stop);
    },
    release: places.release,
  };
}

/** The path below a mount's source; null: no mount holds it. */
function findMount(mounts: readonly Mount[], path: string): { readonly source: string; readonly rest: string } | null {
  const target = `${WORKSPACE}/${path}`;
  const mount = mounts.find((one) => target === one.target || target.startsWith(`${one.target}/`));
  if (mount === undefined) return null;
  return { source: mount.source, rest: target.slice(mount.target.length + 1) || '.' };
}

async function run(
  { deps, mounts }: { readonly deps: HostDeps; readonly mounts: readonly Mount[] },
  { place, invocation, slot }: { readonly place: Place; readonly invocation: Invocation; readonly slot: SandboxSlot },
  signal: AbortSignal,
): Promise<InvocationResult> {
  const { files, log, sandbox } = deps;
  const { checkout, home, artifacts, output } = place;
  const { argv, cwd, timeoutMs, maxOutputBytes } = invocation;
  for (const folder of [checkout, home, artifacts]) await sandbox.giveToSlot(folder, slot);
  const outcome = await sandbox.run(
    {
      argv,
      env: { ...toSandboxEnv(sandbox.toolsDir), FORCE_COLOR: '0', ...invocation.env },
      cwd: cwd === '.' ? WORKSPACE : `${WORKSPACE}/${cwd}`,
      stdin: '',
      mounts: [
        { source: checkout, target: WORKSPACE, writable: true },
        { source: home, target: AGENT_HOME, writable: true },
        { source: artifacts, target: ARTIFACTS, writable: true },
        ...mounts,
      ],
      slot,
      timeoutMs,
      maxOutputBytes,
      stdoutPath: `${output}/${STDOUT}`,
      stderrPath: `${output}/${STDERR}`,
    },
    signal,
  );
  if (outcome.processesLeft > 0)
    log.warn({ name: invocation.name, processesLeft: outcome.processesLeft }, 'an engine left processes');
  // What a sandbox says of itself names folders of this machine: it is for the log.
  if (outcome.kind === 'not_started')
    log.warn({ name: invocation.name, why: outcome.stderrTail.slice(0, MAX_WHY_LENGTH) }, 'an engine did not start');
  const reports: Record<string, string | null> = {};
  for (const name of invocation.reports) reports[name] = await files.readOutput(artifacts, name, MAX_REPORT_BYTES);
  return {
    exit: toRawExit(outcome),
    stdout: (await files.readOutput(output, STDOUT, maxOutputBytes)) ?? '',
    stderr: (await files.readOutput(output, STDERR, maxOutputBytes)) ?? '',
    reports,
  };
}
