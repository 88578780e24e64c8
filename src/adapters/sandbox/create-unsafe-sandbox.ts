import type { NewId } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Mount, Sandbox, SandboxCommand, SandboxOutcome } from '../../ports/sandbox.ts';
import { findByEnvironment, killAll, signalProcess } from './processes.ts';
import { runCapped } from './run-capped.ts';
import { createSlotPool } from './slot-pool.ts';

/** Options of `createUnsafeSandbox`. */
export interface UnsafeSandboxOptions {
  readonly slots: number;
  readonly toolsDir: string;
  readonly log: Log;
  readonly newId: NewId;
  readonly graceMs?: number;
}

/** Environment variable that identifies processes left behind. */
export const MARKER_NAME = 'RATCHET_SANDBOX_ID';

const DEFAULT_GRACE_MS = 5000;
const BURIAL_MS = 10_000;

/**
 * A sandbox without isolation: commands run on the host as the service's own user. Only environment, output and
 * processes are bounded. For the demo's scripted agent where bubblewrap cannot run; never for an agent that reads text
 * from a pull request. Nothing is mounted. Instead, paths below a mount's target are replaced by host paths in `cwd`,
 * arguments and environment.
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
      onReport: [],
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
  // A daemon leaves the process group but keeps its initial environment.
  const processesLeft = await killAll(() => findByEnvironment(`${MARKER_NAME}=${marker}`), BURIAL_MS);
  if (processesLeft > 0) options.log.error({ processesLeft }, 'processes outlive a command');
  return { ...outcome, processesLeft };
}

/** Returns the host path if `text` is a mount's target or a path below one, otherwise `text`. The deepest mount wins. */
export function toHostPath(text: string, mounts: readonly Mount[]): string {
  const mount = mounts
    .toSorted((left, right) => right.target.length - left.target.length)
    .find(({ target }) => text === target || text.startsWith(`${target}/`));
  return mount === undefined ? text : `${mount.source}${text.slice(mount.target.length)}`;
}
