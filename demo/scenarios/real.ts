import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { World } from '../../world/start-world.ts';
import { readPackage } from './real/read-package.ts';
import { MAINTAINER, OWNER, type Scenario } from './scenario.ts';

const NAME = 'light-my-request';
const REPOSITORY = `${OWNER}/${NAME}`;
const PACKAGE = {
  url: `https://registry.npmjs.org/${NAME}/-/${NAME}-6.8.1.tgz`,
  integrity: 'sha512-20biUK0HAIPG9BZOK3/4s8uVAkAoi1+qW55lciHZCR0puTWipBgyMPEUjqXDWLjsZeqfO6DGsuwW5eyfsTGtyg==',
};
/** npm packs no lockfile. This one was made for the version above. */
const LOCKFILE = join(import.meta.dirname, 'real/package-lock.json');

/** Neither `setup` nor `validate`: both are found in the repository. */
const POLICY = `# yaml-language-server: $schema=ratchet
ci:
  settleSeconds: 2
`;

const WORKFLOW = `name: ci
on:
  push:
    branches: [main]
  pull_request:
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: npm ci --ignore-scripts --no-audit --no-fund
      - run: npm test
`;

const BROKEN_FILE = 'lib/cookies.js';
const RIGHT = `  if (!requestPath.startsWith(path)) {
    return false
  }
  return path.endsWith('/') || requestPath.charAt(path.length) === '/'
`;
const WRONG = '  return requestPath.startsWith(path)\n';
const REPAIRED = `  return requestPath.startsWith(path) &&
    (path.endsWith('/') || requestPath.charAt(path.length) === '/')
`;

async function openPullRequest(world: World): Promise<number> {
  const files = await readProject();
  const source = files[BROKEN_FILE];
  if (source?.includes(RIGHT) !== true) throw new Error(`${BROKEN_FILE} of ${PACKAGE.url} has no place for the bug`);
  world.createUser(MAINTAINER);
  await world.createRepository({ owner: OWNER, name: NAME, private: true, files });
  world.installApp(REPOSITORY);
  world.setPermission(REPOSITORY, MAINTAINER, 'write');
  const pull = { repo: REPOSITORY, login: MAINTAINER };
  const branch = 'simpler-cookie-paths';
  const title = 'Simplify the matching of cookie paths';
  const broken = { [BROKEN_FILE]: source.replace(RIGHT, WRONG) };
  await world.commit({ ...pull, branch, from: 'main', files: broken, message: title });
  return world.openPullRequest({ ...pull, head: branch, base: 'main', title });
}

/** The package as a repository. Its own workflows call workflows of other repositories, which the local GitHub does not have. */
async function readProject(): Promise<Readonly<Record<string, string>>> {
  const packed = Object.entries(await readPackage(PACKAGE)).filter(([path]) => !path.startsWith('.github/'));
  return {
    ...Object.fromEntries(packed),
    'package-lock.json': await readFile(LOCKFILE, 'utf8'),
    '.gitignore': 'node_modules/\ncoverage/\n',
    '.github/workflows/ci.yml': WORKFLOW,
    '.github/ratchet.yml': POLICY,
  };
}

/**
 * A package that nobody wrote for the demo, with its own tests, linter and type tests, and hundreds of dependencies. The registry
 * of npm has to be reachable.
 */
export const REAL: Scenario = {
  story: `${NAME} of npm, with a change that breaks one of its own tests`,
  repository: REPOSITORY,
  needsSandbox: true,
  openPullRequest,
  agentScript: {
    steps: [
      { do: 'edit', file: BROKEN_FILE, find: WRONG, replace: REPAIRED },
      { do: 'run', command: 'npm run test:unit' },
      {
        do: 'result',
        status: 'success',
        summary: 'A cookie of /a matched /ab, too. A path now has to end where a segment ends.',
      },
    ],
  },
};
