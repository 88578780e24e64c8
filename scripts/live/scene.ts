import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { TokenPurpose } from '../../src/adapters/github/installation-tokens.ts';
import { type Access, type Client, createClient, textAt } from './client.ts';

/** A result of a git command. */
export interface GitResult {
  readonly exitCode: number;
  readonly stderr: string;
  readonly stdout: string;
}

/** A pull request that a check made for itself. */
export interface TestPull {
  readonly number: number;
  readonly branch: string;
  readonly head: string;
}

/** How much of something a check needs to show what it looks for. */
export interface Counts {
  readonly tokens: number;
  /** More than a page. */
  readonly checks: number;
  readonly pageSize: number;
}

/** The scratch repository, as the App sees it. */
export interface Scene {
  readonly client: Client;
  readonly owner: string;
  readonly name: string;
  readonly installationId: number;
  readonly repositoryId: number;
  readonly defaultBranch: string;
  /** How long a check waits for GitHub, in milliseconds. */
  readonly patienceMs: number;
  readonly counts: Counts;
  /** `/repos/OWNER/NAME`. */
  readonly path: string;
  readonly mint: (purpose: TokenPurpose) => Promise<string>;
  /** git in a clone of the repository, with a token in its environment only. */
  readonly git: (token: string, ...args: readonly string[]) => Promise<GitResult>;
  /** Commits these files on top of `from` (default: the default branch), pushes them to a branch, and returns the commit. */
  readonly push: (branch: string, files: Readonly<Record<string, string>>, from?: string) => Promise<string>;
  readonly openPull: (what: string, files?: Readonly<Record<string, string>>) => Promise<TestPull>;
  /** Closes what was opened and deletes the branches. */
  readonly close: () => Promise<void>;
}

/** How pull requests are opened and closed. */
export interface Hands {
  readonly open: (
    path: string,
    pull: { readonly title: string; readonly head: string; readonly base: string },
  ) => Promise<number>;
  readonly close: (path: string, number: number) => Promise<void>;
}

export interface SceneOptions {
  readonly access: Access;
  /** `OWNER/NAME`. */
  readonly repository: string;
  readonly patienceMs: number;
  readonly counts: Counts;
  /** Default: by the App itself. */
  readonly hands?: Hands;
}

/** Opens the scratch repository. @throws Error if the App is not installed there. */
export async function openScene({ access, repository, patienceMs, counts, hands }: SceneOptions): Promise<Scene> {
  const client = createClient(access);
  const [owner = '', name = ''] = repository.split('/');
  const path = `/repos/${owner}/${name}`;
  const installationId = Number(textAt((await client.asApp(`GET ${path}/installation`)).body, 'id'));
  // The token of the first call covers what the installation covers: the repository's number is not known yet.
  const first = textAt(
    (await client.asApp(`POST /app/installations/${String(installationId)}/access_tokens`)).body,
    'token',
  );
  const described = (await client.rest(first, `GET ${path}`)).body;
  const repositoryId = Number(textAt(described, 'id'));
  const defaultBranch = textAt(described, 'default_branch');
  const folder = await mkdtemp(join(tmpdir(), 'ratchet-live-'));
  const opened: TestPull[] = [];
  const branches: string[] = [];
  const run = `live-${Date.now().toString(36)}`;
  const url = client.addresses.git({ owner, name, repositoryId, installationId });

  const mint = async (purpose: TokenPurpose): Promise<string> =>
    textAt((await client.mint(installationId, purpose, repositoryId)).body, 'token');

  const { open, close: closePull } = hands ?? createHands(client, () => mint('write'));

  const git = createGit(folder, url);

  const must = async (token: string, ...args: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await git(token, ...args);
    if (exitCode !== 0) throw new Error(`git ${args[0] ?? ''} failed: ${stderr.slice(0, 500)}`);
    return stdout.trim();
  };

  const push: Scene['push'] = async (branch, files, from = defaultBranch) => {
    const token = await mint('git_push');
    await must(token, 'init', '--quiet');
    await must(token, 'fetch', '--quiet', '--depth=20', url, `refs/heads/${from}`);
    await must(token, 'checkout', '--quiet', '--force', '--detach', 'FETCH_HEAD');
    for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
    await must(token, 'add', '--all');
    await must(token, 'commit', '--quiet', '--message', `live test: ${branch}`);
    await must(token, 'push', '--quiet', url, `HEAD:refs/heads/${branch}`);
    branches.push(branch);
    return await must(token, 'rev-parse', 'HEAD');
  };

  const openPull: Scene['openPull'] = async (what, files = { [`${what}.txt`]: `${run}\n` }) => {
    const branch = `${run}/${what}`;
    const head = await push(branch, files);
    const number = await open(path, { title: `Live test: ${what}`, head: branch, base: defaultBranch });
    const pull = { number, branch, head };
    opened.push(pull);
    return pull;
  };

  const close = async (): Promise<void> => {
    for (const { number } of opened) await closePull(path, number);
    const pushing = await mint('git_push');
    for (const branch of branches) await git(pushing, 'push', '--quiet', url, `:refs/heads/${branch}`);
    await rm(folder, { recursive: true, force: true });
  };

  return {
    ...{ client, owner, name, installationId, repositoryId, defaultBranch, patienceMs, counts, path },
    ...{ mint, git: (token, ...args) => git(token, ...args.map((arg) => (arg === 'URL' ? url : arg))), push },
    ...{ openPull, close },
  };
}

function createHands(client: Client, mint: () => Promise<string>): Hands {
  return {
    open: async (path, pull) =>
      Number(textAt((await client.rest(await mint(), `POST ${path}/pulls`, pull)).body, 'number')),
    close: async (path, number) => {
      await client.rest(await mint(), `PATCH ${path}/pulls/${String(number)}`, { state: 'closed' });
    },
  };
}

/** git in `folder`, with the token in its environment only. */
function createGit(folder: string, url: string): Scene['git'] {
  return async (token, ...args) => {
    const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
    const { exitCode, stdout, stderr } = await execa('git', args, {
      cwd: folder,
      reject: false,
      timeout: 60_000,
      extendEnv: false,
      env: {
        ...{ PATH: process.env['PATH'] ?? '', HOME: folder, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1' },
        ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: `http.${url}/.extraHeader` },
        GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
        ...{ GIT_AUTHOR_NAME: 'Ratchet live test', GIT_AUTHOR_EMAIL: 'live-test@ratchet.invalid' },
        ...{ GIT_COMMITTER_NAME: 'Ratchet live test', GIT_COMMITTER_EMAIL: 'live-test@ratchet.invalid' },
      },
    });
    return { exitCode: exitCode ?? -1, stdout, stderr };
  };
}
