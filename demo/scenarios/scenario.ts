import type { World } from '../../world/start-world.ts';

export const MAINTAINER = 'maintainer';
export const REVIEWER = 'reviewer';
export const OWNER = 'acme';
export const NAME = 'price-list';
export const REPOSITORY = `${OWNER}/${NAME}`;

/** A scenario cannot be played on this machine. The message says why. */
export class CannotPlayError extends Error {
  override readonly name = 'CannotPlayError';
}

/** A scenario of the demo. */
export interface Scenario {
  /** The state of the pull request, as the narrator prints it. */
  readonly story: string;
  /** `owner/name` of its repository. */
  readonly repository: string;
  /** Whether it cannot be played without a sandbox, because dependencies are installed in it. */
  readonly needsSandbox: boolean;
  /** Creates the repository and the pull request. Returns its number. @throws CannotPlayError */
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
