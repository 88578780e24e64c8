import type { World } from '../../world/start-world.ts';
import { MAINTAINER, NAME, OWNER, REPOSITORY, REVIEWER, type Scenario, WORKFLOW } from './scenario.ts';

/** A short settle time and quiet period, to keep the demo short. */
const POLICY = `# yaml-language-server: $schema=ratchet
ci:
  settleSeconds: 2
reviews:
  quietSeconds: 1
validate:
  - node --test
`;

const CHANGELOG = '# Changes\n\n- Prices with tax\n';
const CHANGELOG_OF_BRANCH = '# Changes\n\n- Discounts, in percent\n- Prices with tax\n';
const CHANGELOG_OF_MAIN = '# Changes\n\n- Prices in any currency\n- Prices with tax\n';
const CHANGELOG_RESOLVED = '# Changes\n\n- Discounts, in percent\n- Prices in any currency\n- Prices with tax\n';

const DISCOUNT = `/** Price less a discount, in cents. */
export function withDiscount(cents, percent) {
  return Math.round(cents * (1 + percent / 100));
}
`;

const DISCOUNT_TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDiscount } from './discount.mjs';

test('takes the discount off', () => {
  assert.equal(withDiscount(1000, 25), 750);
});
`;

const LABEL = `/** A price for people. */
export function toLabel(cents) {
  return (cents / 100).toFixed(2);
}
`;

async function openPullRequest(world: World): Promise<number> {
  for (const login of [MAINTAINER, REVIEWER]) world.createUser(login);
  await world.createRepository({
    owner: OWNER,
    name: NAME,
    private: true,
    files: {
      'package.json': '{ "name": "price-list", "type": "module", "scripts": { "test": "node --test" } }\n',
      'CHANGELOG.md': CHANGELOG,
      '.github/workflows/ci.yml': WORKFLOW,
      '.github/ratchet.yml': POLICY,
    },
  });
  world.installApp(REPOSITORY);
  for (const login of [MAINTAINER, REVIEWER]) world.setPermission(REPOSITORY, login, 'write');
  const branch = 'discounts';
  await world.commit({
    ...{ repo: REPOSITORY, branch, from: 'main', message: 'Add discounts', login: MAINTAINER },
    files: {
      'discount.mjs': DISCOUNT,
      'discount.test.mjs': DISCOUNT_TEST,
      'label.mjs': LABEL,
      'CHANGELOG.md': CHANGELOG_OF_BRANCH,
    },
  });
  const number = await world.openPullRequest({
    ...{ repo: REPOSITORY, head: branch, base: 'main', title: 'Add discounts', login: MAINTAINER },
  });
  await world.reviewComment({
    ...{ repo: REPOSITORY, number, login: REVIEWER, path: 'label.mjs', line: 3 },
    body: 'Please say which currency this is.',
  });
  await world.commit({
    ...{ repo: REPOSITORY, branch: 'main', message: 'Take prices in any currency', login: REVIEWER },
    files: { 'CHANGELOG.md': CHANGELOG_OF_MAIN },
  });
  return number;
}

/** A conflict, red CI and a review comment on one pull request, solved one per iteration. */
export const FULL: Scenario = {
  story: 'it conflicts with main, its CI is red, and a reviewer wants something changed',
  repository: REPOSITORY,
  needsSandbox: false,
  openPullRequest,
  agentScript: {
    cases: [
      {
        when: { file: 'CHANGELOG.md', contains: '<<<<<<<' },
        steps: [
          { do: 'write', file: 'CHANGELOG.md', text: CHANGELOG_RESOLVED },
          { do: 'result', status: 'success', summary: 'Both entries stay, the newer one first.' },
        ],
      },
      {
        when: { file: 'discount.mjs', contains: '1 + percent' },
        steps: [
          { do: 'edit', file: 'discount.mjs', find: '1 + percent', replace: '1 - percent' },
          { do: 'result', status: 'success', summary: 'The discount was added; it is taken off now.' },
        ],
      },
    ],
    steps: [
      { do: 'edit', file: 'label.mjs', find: 'return (cents', replace: 'return `EUR ${(cents' },
      { do: 'edit', file: 'label.mjs', find: 'toFixed(2)', replace: 'toFixed(2)}`' },
      {
        do: 'result',
        status: 'success',
        summary: 'The label names the currency.',
        answers: [{ status: 'fixed', reason: 'The label now begins with EUR.' }],
      },
    ],
  },
};
