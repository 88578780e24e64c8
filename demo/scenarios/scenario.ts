import type { World } from '../../world/start-world.ts';

export const MAINTAINER = 'maintainer';
export const REVIEWER = 'reviewer';
export const OWNER = 'acme';
export const NAME = 'price-list';
export const REPOSITORY = `${OWNER}/${NAME}`;

/** A scenario of the demo. */
export interface Scenario {
  /** The state of the pull request, as the narrator prints it. */
  readonly story: string;
  /** Creates the repository and the pull request. Returns its number. */
  readonly openPullRequest: (world: World) => Promise<number>;
  /** Script for the scripted agent. */
  readonly agentScript: Readonly<Record<string, unknown>>;
}

export const WORKFLOW = `name: ci
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: node --test
`;
