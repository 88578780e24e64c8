import { execa } from 'execa';

/** What a finished git command said. */
export type GitRun = { readonly exitCode: number | undefined; readonly stderr: string; readonly stdout: string };

/** A folder to run git in, and how it authenticates with the world at `url`; null is not at all. */
export type GitClient = { readonly dir: string; readonly url: string; readonly authorization: string | null };

/** The `Authorization` header git sends for a token. */
export function basic(token: string): string {
  return `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
}

/** Runs git as `ann`, with nothing of the machine's configuration; `input` is its standard input. */
export async function runGit(client: GitClient, args: readonly string[], input = ''): Promise<GitRun> {
  const { dir, url, authorization } = client;
  const header =
    authorization === null
      ? {}
      : {
          GIT_CONFIG_COUNT: '1',
          GIT_CONFIG_KEY_0: `http.${url}/.extraHeader`,
          GIT_CONFIG_VALUE_0: `Authorization: ${authorization}`,
        };
  const env = {
    PATH: process.env['PATH'] ?? '',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'ann',
    GIT_AUTHOR_EMAIL: 'a@a.test',
    GIT_COMMITTER_NAME: 'ann',
    GIT_COMMITTER_EMAIL: 'a@a.test',
    ...header,
  };
  const result = await execa('git', args, { cwd: dir, env, extendEnv: false, reject: false, input });
  return { exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr };
}
