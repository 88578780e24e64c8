import path from 'node:path';
import { execa } from 'execa';

const TIMEOUT_MS = 120_000;
const MAX_LOG_BYTES = 4 * 1024 * 1024;
/** Authorities that this machine trusts for HTTPS beside the public ones. A job that installs packages needs them where a proxy is. */
const TRUST = 'NODE_EXTRA_CA_CERTS';

/** How a command ended. `lines` is the output of both streams, in order. */
export type CommandResult = {
  readonly exitCode: number;
  readonly isTimedOut: boolean;
  readonly lines: readonly string[];
};

/** Folder, home and environment of a command. */
export type CommandSource = {
  readonly dir: string;
  readonly homeDir: string;
  readonly env: Readonly<Record<string, string>>;
};

/**
 * Runs a workflow step's script with `bash -e`. All its processes are killed at the time limit and when `signal` fires.
 * The environment is built here, without git variables or secrets. `node` is the Node that runs the world.
 */
export async function runCommand(script: string, place: CommandSource, signal: AbortSignal): Promise<CommandResult> {
  const result = await execa('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', script], {
    cwd: place.dir,
    env: {
      ...place.env,
      PATH: `${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: place.homeDir,
      LANG: 'C.UTF-8',
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_WORKSPACE: place.dir,
      [TRUST]: process.env[TRUST],
    },
    extendEnv: false,
    all: true,
    reject: false,
    stdin: 'ignore',
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_LOG_BYTES,
    cancelSignal: signal,
    killDescendants: true,
    forceKillAfterDelay: 1000,
  });
  const lines = result.all === '' ? [] : result.all.split('\n');
  return { exitCode: result.exitCode ?? 143, isTimedOut: result.timedOut, lines };
}
