import type { NewId } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Mount, Sandbox, SandboxCommand, SandboxOutcome } from '../../ports/sandbox.ts';
import { findByEnvironment, killAll, signalProcess } from './processes.ts';
import { runCapped } from './run-capped.ts';
import { createSlotPool } from './slot-pool.ts';

/** What the sandbox without isolation is made of. */
export interface UnsafeSandboxOptions {
  readonly slots: number;
  readonly toolsDir: string;
  readonly log: Log;
  readonly newId: NewId;
  readonly graceMs?: number;
}

/** Environment variable by which left-over processes are found. */
export const MARKER_NAME = 'RATCHET_SANDBOX_ID';

const DEFAULT_GRACE_MS = 5000;
const BURIAL_MS = 2000;

/**
 * No sandbox at all: the command runs on the host as the service's own user and sees what it sees. Only its environment,
 * output and processes are bounded. For the demo's own scripted agent, where bubblewrap cannot run; never for an agent that
 * reads text from a pull request. Mounts are not made: paths below a mount's target in `cwd`, in arguments and in the
 * environment are replaced by the host's.
 */
export function createUnsafeSandbox(options: UnsafeSandboxOptions): Sandbox {
  const slots = Array.from({ length: options.slots }, (_, index) => ({ index, uid: null, gid: null }));
  const { acquire, release } = createSlotPool(slots);
  return {
    toolsDir: options.toolsDir,
    acquireSlot: acquire,
    releaseSlot: release,
    giveToSlot: () => Promise.resolve(),
    probe: () => Promise.resolve({ kind: 'ok', profile: 'none: commands run without isolation' }),
    run: (command, signal) => runUnsafe(options, command, signal),
  };
}

async function runUnsafe(
  options: UnsafeSandboxOptions,
  command: SandboxCommand,
  signal: AbortSignal,
): Promise<SandboxOutcome> {
  const marker = options.newId();
  const toHost = (text: string): string => toHostPath(text, command.mounts);
  const env = Object.fromEntries(Object.entries(command.env).map(([name, value]) => [name, toHost(value)]));
  const outcome = await runCapped(
    {
      ...command,
      argv: command.argv.map(toHost),
      env: { ...env, [MARKER_NAME]: marker },
      cwd: toHost(command.cwd),
      graceMs: options.graceMs ?? DEFAULT_GRACE_MS,
      onStatus: null,
      interrupt: (child) => {
        if (child.pid !== undefined) signalProcess(-child.pid, 'SIGTERM');
        return Promise.resolve();
      },
      kill: (child) => {
        if (child.pid !== undefined) signalProcess(-child.pid, 'SIGKILL');
      },
    },
    signal,
  );
  // A daemon leaves the process group, not the environment that it was started with.
  const processesLeft = await killAll(() => findByEnvironment(`${MARKER_NAME}=${marker}`), BURIAL_MS);
  if (processesLeft > 0) options.log.error({ processesLeft }, 'processes outlive a command');
  return { ...outcome, processesLeft };
}

/** `text` on the host, if it is a mount's target or a path below one; the deepest mount counts. */
export function toHostPath(text: string, mounts: readonly Mount[]): string {
  const mount = mounts
    .toSorted((left, right) => right.target.length - left.target.length)
    .find(({ target }) => text === target || text.startsWith(`${target}/`));
  return mount === undefined ? text : `${mount.source}${text.slice(mount.target.length)}`;
}
