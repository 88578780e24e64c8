import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { World } from '../world/start-world.ts';

export const MAINTAINER = 'maintainer';
const OWNER = 'acme';
const NAME = 'price-list';
export const REPOSITORY = `${OWNER}/${NAME}`;

const WORKFLOW = `name: ci
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: node --test
`;

/** Short waits: nobody wants to sit out a real settle time in a demo. */
const POLICY = `# yaml-language-server: $schema=ratchet
ci:
  settleSeconds: 2
validate:
  - node --test
`;

const PRICE = `/** Price with tax, in cents. */
export function withTax(cents, percent) {
  return Math.round(cents * (1 + percent / 100));
}
`;

const TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withTax } from './price.mjs';

test('adds the tax', () => {
  assert.equal(withTax(1000, 19), 1190);
});

test('rounds to whole cents', () => {
  assert.equal(withTax(999, 7), 1069);
});
`;

const BROKEN = PRICE.replace('Math.round(cents * (1 + percent / 100))', 'Math.floor(cents * (1 + percent / 1000))');

/** Makes the repository and the pull request that breaks its test; returns the number. */
export async function openDemoPullRequest(world: World): Promise<number> {
  world.createUser(MAINTAINER);
  await world.createRepository({
    owner: OWNER,
    name: NAME,
    private: true,
    files: {
      'package.json': '{ "name": "price-list", "type": "module", "scripts": { "test": "node --test" } }\n',
      'price.mjs': PRICE,
      'price.test.mjs': TEST,
      '.github/workflows/ci.yml': WORKFLOW,
      '.github/ratchet.yml': POLICY,
    },
  });
  world.installApp(REPOSITORY);
  world.setPermission(REPOSITORY, MAINTAINER, 'write');
  const branch = 'cheaper-rounding';
  const files = { 'price.mjs': BROKEN };
  await world.commit({ repo: REPOSITORY, branch, from: 'main', files, message: 'Round down', login: MAINTAINER });
  return world.openPullRequest({
    repo: REPOSITORY,
    head: branch,
    base: 'main',
    title: 'Round down',
    login: MAINTAINER,
  });
}

/** What the scripted agent does: the smallest correct change. Returns the script's path. */
export async function writeAgentScript(dataDir: string): Promise<string> {
  const script = {
    steps: [
      {
        do: 'edit',
        file: 'price.mjs',
        find: 'Math.floor(cents * (1 + percent / 1000))',
        replace: 'Math.round(cents * (1 + percent / 100))',
      },
      {
        do: 'result',
        status: 'success',
        summary: 'The percentage was divided by 1000; restored it, and the rounding.',
      },
    ],
  };
  const path = join(dataDir, 'agent-script.json');
  await writeFile(path, JSON.stringify(script), { mode: 0o644 });
  return path;
}
