import type { World } from '../../world/start-world.ts';
import { MAINTAINER, NAME, OWNER, REPOSITORY, type Scenario, WORKFLOW } from './scenario.ts';

/** A short settle time, to keep the demo short. */
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

/** Creates the repository and the pull request that breaks its test. Returns the pull request's number. */
async function openPullRequest(world: World): Promise<number> {
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

/** One failing check. The agent repairs it with the smallest correct change. */
export const BROKEN_TEST: Scenario = {
  story: 'it breaks a test, and its CI is about to find out',
  repository: REPOSITORY,
  needsSandbox: false,
  openPullRequest,
  agentScript: {
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
  },
};
