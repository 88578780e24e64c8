import { startWorld, type World, type WorldOptions } from '../../world/start-world.ts';
import { SHARED_BY_WORLDS } from '../support/shared-world.ts';
import { installationToken } from './app-client.ts';

/** A world with one repository, the App installed on it, and a token of that installation. */
export type Scene = {
  readonly world: World;
  readonly repo: string;
  readonly installationId: number;
  readonly token: string;
};

/** A workflow that runs the repository's tests for pull requests. */
export const CI_WORKFLOW = [
  'name: CI',
  'on:',
  '  pull_request:',
  'jobs:',
  '  test:',
  '    runs-on: ubuntu-latest',
  '    steps:',
  '      - uses: actions/checkout@v5',
  '      - name: Test',
  '        run: node check.js',
  '',
].join('\n');

/** Starts a world with `acme/widget`. Close the world when done. */
export async function aScene(files: Readonly<Record<string, string>> = {}, options: WorldOptions = {}): Promise<Scene> {
  const world = await startWorld({ ...SHARED_BY_WORLDS, ...options });
  const all = { 'README.md': '# widget\n', 'a.txt': 'one\ntwo\nthree\n', ...files };
  const repo = await world.createRepository({ owner: 'acme', name: 'widget', files: all });
  const installationId = world.installApp(repo);
  return { world, repo, installationId, token: await installationToken(world, installationId) };
}

/** Opens a pull request from a new branch that changes `a.txt`, and returns its number. */
export async function aPullRequest({ world, repo }: Scene, branch = 'feature'): Promise<number> {
  await world.commit({ repo, branch, files: { 'a.txt': `one\ntwo by ${branch}\nthree\n` }, login: 'ann' });
  return await world.openPullRequest({ repo, head: branch, login: 'ann', title: `Change by ${branch}` });
}
