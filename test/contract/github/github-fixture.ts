import { generateKeyPairSync } from 'node:crypto';
import nock from 'nock';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { createGitHub, type GitHubLimits } from '../../../src/adapters/github/create-github.ts';
import { parseSha, type Sha } from '../../../src/core/model/ids.ts';
import type { CheckResult, PullRequestRef, RepositoryRef } from '../../../src/core/model/pull-request.ts';
import type { GitHub } from '../../../src/ports/github.ts';
import type { Log } from '../../../src/ports/log.ts';

/** For a whole test file: nothing leaves the process, and every answer that was prepared is asked for. */
export function expectAllAnswersAsked(): void {
  beforeAll(() => {
    nock.disableNetConnect();
  });
  afterEach(() => {
    const left = nock.pendingMocks();
    nock.cleanAll();
    expect(left).toEqual([]);
  });
  // The next file of this process may need a server of its own on this machine.
  afterAll(() => {
    nock.enableNetConnect();
  });
}

export const api = 'https://api.github.com';
export const appId = 4242;
export const repository: RepositoryRef = { installationId: 7, repositoryId: 186, owner: 'acme', name: 'widget' };
export const ref: PullRequestRef = { repository, number: 3 };
export const headSha = sha('a');

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();

/** The SHA of one repeated digit. */
export function sha(digit: string): Sha {
  return parseSha(digit.repeat(40));
}

const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
};

/** The adapter with a clock that moves only when it sleeps, and what it slept. */
export interface TestGitHub {
  readonly github: GitHub;
  readonly slept: number[];
  readonly clock: { nowMs: number };
}

export function createTestGitHub(
  changes: { baseUrl?: string; commitEmail?: string; limits?: Partial<GitHubLimits> } = {},
): TestGitHub {
  const clock = { nowMs: Date.parse('2026-11-27T12:00:00Z') };
  const slept: number[] = [];
  const github = createGitHub({
    appId,
    privateKey: pem,
    baseUrl: changes.baseUrl ?? api,
    userAgent: 'ratchet-test',
    commitEmail: changes.commitEmail ?? null,
    log: silent,
    clock: { now: () => clock.nowMs },
    // Every token of a test is new. Only the tests of new tokens wait before they believe a refusal.
    limits: { writeSpacingMs: 0, youngTokenMs: 0, ...changes.limits },
    sleep: async (ms) => {
      slept.push(ms);
      clock.nowMs += ms;
    },
    random: () => 1,
  });
  return { github, slept, clock };
}

export const signal = (): AbortSignal => new AbortController().signal;

/** Answers mints with the tokens in turn; `asked` gets what each asked for. */
export function answerMints(tokens: readonly string[], options: { baseUrl?: string } = {}): unknown[] {
  const asked: unknown[] = [];
  for (const token of tokens) {
    nock(options.baseUrl ?? api)
      .post('/app/installations/7/access_tokens')
      .matchHeader('authorization', /^bearer [\w-]+\.[\w-]+\.[\w-]+$/)
      .reply(201, async (request: Request) => {
        asked.push(await request.json());
        return { token, expires_at: '2026-11-27T13:00:00Z' };
      });
  }
  return asked;
}

/** Answers the GraphQL queries in turn; returns the variables that came. */
export function answerQueries(...answers: readonly unknown[]): unknown[] {
  const asked: unknown[] = [];
  for (const answer of answers) {
    nock(api)
      .post('/graphql')
      .matchHeader('authorization', /^token ghs_/)
      .reply(200, async (request: Request) => {
        const body: unknown = await request.json();
        asked.push(typeof body === 'object' && body !== null ? Reflect.get(body, 'variables') : null);
        return typeof answer === 'object' ? { ...answer } : {};
      });
  }
  return asked;
}

/** Name and owner of the repository, as every answer tells them. */
export const named = { name: 'widget', owner: { login: 'acme' } };
/** The repository of the owner's defaults, without any. */
export const noDefaults = { name: '.github', owner: { login: 'acme' }, defaultBranchRef: null };
/** Answer that has the pull request, and its owner's repository of defaults. */
export const found = (pullRequest: unknown, organization: unknown = noDefaults): unknown => ({
  data: { repository: { ...named, pullRequest }, organization },
});
/** Answer that has an object of git. */
export const foundObject = (object: unknown): unknown => ({ data: { repository: { object } } });

/** A failed check run of GitHub Actions. */
export const check: CheckResult = {
  source: 'check_run',
  id: 55,
  appId: 15368,
  appSlug: 'github-actions',
  name: 'test',
  event: 'push',
  headSha,
  status: 'completed',
  conclusion: 'failure',
  startedAt: null,
  completedAt: null,
  detailsUrl: null,
  runAttempt: null,
};

/** GraphQL's answer for a quiet pull request; a test replaces what it is about. */
export function aPullRequestNode(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    number: 3,
    title: 'Add a widget',
    state: 'OPEN',
    isDraft: false,
    isCrossRepository: false,
    isInMergeQueue: false,
    timelineItems: { nodes: [] },
    mergeable: 'MERGEABLE',
    mergeStateStatus: 'CLEAN',
    headRefOid: headSha,
    headRefName: 'feature',
    baseRefOid: sha('b'),
    baseRefName: 'main',
    autoMergeRequest: null,
    author: { __typename: 'User', login: 'ada', databaseId: 5 },
    labels: { nodes: [] },
    commits: { nodes: [{ commit: aHeadCommit() }] },
    headRef: aRef(),
    baseRef: aRef({ target: { oid: sha('c'), statusCheckRollup: null, policyFile: null } }),
    reviewThreads: { totalCount: 0, pageInfo: { hasNextPage: false, endCursor: null }, nodes: [] },
    reviewDecision: null,
    reviews: aReviewPage([]),
    ...changes,
  };
}

/** A branch without rules. */
export function aRef(changes: Readonly<Record<string, unknown>> = {}): unknown {
  const associatedPullRequests = { nodes: [] };
  return { refUpdateRule: null, rules: { totalCount: 0, nodes: [] }, associatedPullRequests, ...changes };
}

export function aHeadCommit(
  contexts: readonly unknown[] = [],
  changes: Readonly<Record<string, unknown>> = {},
): unknown {
  return {
    oid: headSha,
    parents: { nodes: [{ oid: sha('9') }] },
    policyFile: null,
    file: null,
    statusCheckRollup: contexts.length === 0 ? null : { contexts: aPage(contexts) },
    checkSuites: aPage([]),
    ...changes,
  };
}

/** The comments of a thread that is not long. */
export function aDiscussion(comments: readonly unknown[]): Record<string, unknown> {
  return { opening: { nodes: comments.slice(0, 1) }, comments: { totalCount: comments.length, nodes: comments } };
}

/** A page of reviews, which are read from the newest back. */
export function aReviewPage(nodes: readonly unknown[], startCursor: string | null = null): unknown {
  return { pageInfo: { hasPreviousPage: startCursor !== null, startCursor }, nodes };
}

export function aPage(nodes: readonly unknown[], endCursor: string | null = null, totalCount = nodes.length): unknown {
  return { totalCount, pageInfo: { hasNextPage: endCursor !== null, endCursor }, nodes };
}

/** The third run of the workflow `ci`. */
export function aRunNode(changes: Readonly<Record<string, unknown>> = {}): unknown {
  return {
    url: 'https://github.com/acme/widget/actions/runs/900',
    event: 'push',
    runNumber: 3,
    workflow: { id: 'W_77', databaseId: 77, name: 'ci' },
    ...changes,
  };
}

/** A suite with a workflow run behind it that has not ended. */
export function aSuiteNode(changes: Readonly<Record<string, unknown>> = {}): unknown {
  return {
    id: `CS_${JSON.stringify(changes['databaseId'] ?? 91)}`,
    databaseId: 91,
    status: 'IN_PROGRESS',
    conclusion: null,
    createdAt: '2026-11-27T11:00:00Z',
    updatedAt: '2026-11-27T11:02:00Z',
    app: { databaseId: 15368, slug: 'github-actions' },
    workflowRun: aRunNode(),
    checkRuns: { totalCount: 1 },
    ...changes,
  };
}

export function aCheckRunNode(changes: Readonly<Record<string, unknown>> = {}): unknown {
  return {
    __typename: 'CheckRun',
    id: `CR_${JSON.stringify(changes['databaseId'] ?? 55)}`,
    databaseId: 55,
    name: 'test',
    status: 'COMPLETED',
    conclusion: 'FAILURE',
    startedAt: '2026-11-27T11:00:00Z',
    completedAt: '2026-11-27T11:01:00Z',
    detailsUrl: 'https://ci.test/55',
    checkSuite: { id: 'CS_91', app: { databaseId: 15368, slug: 'github-actions' }, workflowRun: aRunNode() },
    ...changes,
  };
}
