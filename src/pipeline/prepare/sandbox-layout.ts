/** Folders inside the sandbox. */
export const WORKSPACE = '/workspace';
export const AGENT_HOME = '/home/agent';
export const EVIDENCE = '/ratchet/evidence';

/** The whole environment of a command in the sandbox: nothing is inherited, nothing is secret. */
export function toSandboxEnv(toolsDir: string): Readonly<Record<string, string>> {
  return {
    HOME: AGENT_HOME,
    PATH: `${toolsDir}/bin:/usr/local/bin:/usr/bin:/bin`,
    LANG: 'C.UTF-8',
    CI: 'true',
    TMPDIR: '/tmp',
    NO_COLOR: '1',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
}
