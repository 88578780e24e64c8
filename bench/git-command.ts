import { execa } from 'execa';

/** Environment of the benchmark's git commands, without the configuration of the machine and the user. */
const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
} as const;

const TIMEOUT_MS = 600_000;

/** Runs git (or `cp`). Returns its trimmed stdout; throws if it fails. */
export async function runCommand(
  argv: readonly [string, ...string[]],
  cwd: string,
  input?: Iterable<string>,
): Promise<string> {
  const [file, ...args] = argv;
  const { stdout } = await execa(file, args, {
    cwd,
    env: ENVIRONMENT,
    extendEnv: false,
    timeout: TIMEOUT_MS,
    ...(input === undefined ? { stdin: 'ignore' } : { stdin: input }),
  });
  return stdout.trim();
}
