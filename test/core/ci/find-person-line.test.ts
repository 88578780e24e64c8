import { describe, expect, it } from 'vitest';
import { findPersonLine as findIn } from '../../../src/core/ci/find-person-line.ts';
import { type FailureOutput, toFailureLines } from '../../../src/core/ci/to-failure-lines.ts';
import type { CheckResult } from '../../../src/core/model/pull-request.ts';
import { toCpuMs } from '../../support/cpu-time.ts';

const findPersonLine = (check: Pick<CheckResult, 'conclusion'>, output: FailureOutput) =>
  findIn(check, toFailureLines(output));
const RED = { conclusion: 'failure' } as const;
const STAMP = '2026-01-02T03:04:05.1234567Z ';

const inMessage = (message: string) => findPersonLine(RED, { messages: [message], log: null });
const inLog = (...lines: readonly string[]) =>
  findPersonLine(RED, { messages: [], log: lines.map((line) => `${STAMP}${line}\n`).join('') });

/** Messages as people reported them, by what is missing or refused. */
const PERSON: Readonly<Record<string, readonly string[]>> = {
  billing: [
    "The job was not started because recent account payments have failed or your spending limit needs to be increased. Please check the 'Billing & plans' section in your settings",
    'The job was not started because your account is locked due to a billing issue.',
    'The job was not started because an Actions budget is preventing further use. This job failed',
    "Workflows can't be executed on this repository. Please check your payment method or billing status.",
    "GitHub Actions workflows can't be executed on this repository. Please check your payment method or billing status.",
    'Actions jobs for this repository have been disabled by GitHub staff. If you are the repository owner, you can contact support via https://github.com/contact for more information.',
    'Actions are currently disabled for your account. Please reach out to GitHub Support for assistance.',
    'Actions has been disabled for this user.',
    'GitHub Actions is currently disabled for this repository.',
    'GitHub Actions hosted runners are disabled for this repository. For more information please contact your GitHub Enterprise Administrator.',
    'Create Artifact Container failed: Artifact storage quota has been hit. Unable to upload any new artifacts',
    'Error: Failed to CreateArtifact: Artifact storage quota has been hit. Unable to upload any new artifacts. Usage is recalculated every 6-12 hours.',
    'batch response: This repository is over its data quota. Account responsible for LFS bandwidth should purchase more data packs to restore access.',
    'batch response: This repository exceeded its LFS budget. The account responsible for the budget should increase it to restore access.',
  ],
  runner: [
    'No runner matching the specified labels was found: self-hosted, linux, gpu',
    'No hosted runner matching the specified labels was found',
    'The job has exceeded the maximum execution time while awaiting a runner for 24h0m0s',
    'This is a scheduled Ubuntu 20.04 brownout. Ubuntu 20.04 LTS runner will be removed on 2025-04-15. For more details, see https://github.com/actions/runner-images/issues/11101',
    'This is a scheduled macOS-12 brownout. The macOS-12 environment is deprecated and will be removed on December 3rd, 2024.',
    'The self-hosted runner: build-7 lost communication with the server. Verify the machine is running and has a healthy network connection. Anything in your workflow that terminates the runner process, starves it for CPU/Memory, or blocks its network access can cause this error.',
    "System.IO.IOException: No space left on device : '/opt/actions-runner/_diag/Worker_20260102-030405-utc.log'",
    "Unhandled exception. System.IO.IOException: No space left on device : '/home/ubuntu/actions-runner/_diag/pages/1.log'",
    "Error: EACCES: permission denied, unlink '/home/ubuntu/actions-runner/_work/app/app/dist/main.js'",
    'An error occurred: Runner version v2.286.0 is deprecated and cannot receive messages.',
  ],
  workflow: [
    'Error: Unable to resolve action `actions/add-to-project@v1`, unable to find version `v1`',
    'Unable to resolve action actions/checkout@4.1.7, unable to find version 4.1.7',
    'Error: Unable to resolve action. Repository not found: jetpack-io/devbox-install-action',
    'Error: Unable to resolve actions. Repository not found : chinthakagodawita/autoupdate-action.',
    'Error: Unable to resolve action octokit/request-action@v2.4.0, action not found',
    'Failed to resolve action download info. Error: Unable to resolve action `atlassian/gajira-create@2.0.1`, unable to find version `2.0.1`',
    "An action could not be found at the URI 'https://api.github.com/repos/acme/tool/tarball/9f1c0e2'",
    'Missing download info for actions/cache@v1',
    "Can't find 'action.yml', 'action.yaml' or 'Dockerfile' under '/home/runner/work/_actions/acme/tool/v1'. Did you forget to run actions/checkout before running your local action?",
    'Error: This request has been automatically failed because it uses a deprecated version of `actions/upload-artifact: v3`. Learn more: https://github.blog/changelog/2024-04-16-deprecation-notice-v3-of-the-artifact-actions/',
    'This request has been automatically failed because it uses a deprecated version of `actions/cache: v4.0.2`. Please update your workflow to use v3/v4 of actions/cache to avoid interruptions.',
    'actions/checkout@v2 is not allowed to be used in n370/awesome-headless-cms. Actions in this workflow must be: within a repository owned by n370.',
    'actions/checkout@v2, actions/setup-go@v2, and goreleaser/goreleaser-action@v2 are not allowed to be used in hktalent/scan4all. Actions in this workflow must be: within a repository owned by hktalent.',
    'The action actions/github-script@3a2844b7e9c422d3c10d287c895573f7108da1b3 is not allowed in acme/app because all actions must be from a repository owned by acme or match one of the patterns: actions/checkout@*.',
    'Invalid workflow file: .github/workflows/build.yml#L7',
    "The workflow is not valid. .github/workflows/build.yml (Line: 7, Col: 3): Error calling workflow 'acme/flows/.github/workflows/test.yml@main'. The nested job 'build' is requesting 'contents: write', but is only allowed 'contents: read'.",
    'error parsing called workflow "acme/flows/.github/workflows/test.yml@v2": workflow was not found.',
    'Secret DEPLOY_KEY is required, but not provided while calling.',
  ],
  rule: [
    'Branch "test" is not allowed to deploy to github-pages due to environment protection rules.',
    'Tag "v1.1.2" is not allowed to deploy to production due to environment protection rules.',
    "The deployment was rejected or didn't satisfy other protection rules.",
    'remote: error: GH006: Protected branch update failed for refs/heads/main.',
    'remote: error: GH013: Repository rule violations found for refs/heads/main.',
    '! [remote rejected] main -> main (refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission)',
    'refusing to allow a Personal Access Token to create or update workflow `.github/workflows/ci.yml` without `workflow` scope',
    'Code scanning is not enabled for this repository. Please enable code scanning in the repository settings.',
    'Advanced Security must be enabled for this repository to use code scanning.',
    'Error: Dependency review is not supported on this repository. Please ensure that Dependency graph is enabled, see https://github.com/acme/app/settings/security_analysis',
    'Error: Get Pages site failed. Please verify that the repository has Pages enabled and configured to build using GitHub Actions.',
  ],
  token: [
    'Input required and not supplied: token',
    'Error: Input required and not supplied: github-token',
    'Parameter token or opts.auth is required',
    'Error: Username and password required',
    'Error: Password required',
    'Error: Cannot perform an interactive login from a non TTY device',
    'Resource not accessible by integration',
    'HttpError: Resource not accessible by integration',
    'Error: Error 403: Resource not accessible by integration',
    'HTTP 403: Resource not accessible by integration (https://api.github.com/repos/atomicdata-dev/atomic-data-rust/releases)',
    'Unhandled error: HttpError: Resource not accessible by personal access token',
    'remote: Permission to dernerl/awesome.git denied to github-actions[bot].',
    'remote: Write access to repository not granted.',
    'Error: GitHub Actions is not permitted to create or approve pull requests.',
    'pull request create failed: GraphQL: GitHub Actions is not permitted to create or approve pull requests (createPullRequest)',
    'Error: release-please failed: GitHub Actions is not permitted to create or approve pull requests',
    'Error: Permission error: GitHub Actions is not permitted to create or approve pull requests',
    "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
    "Error: fatal: could not read Username for 'https://github.com/': terminal prompts disabled",
    "fatal: Authentication failed for 'https://github.com/acme/private.git/'",
    'remote: Support for password authentication was removed on August 13, 2021.',
    'remote: Invalid username or token. Password authentication is not supported for Git operations.',
    'git@github.com: Permission denied (publickey).',
    'Error: The ssh-private-key argument is empty. Maybe the secret has not been configured, or you are using a wrong secret name in your workflow file.',
    'Error: Bad credentials',
    'Unhandled error: HttpError: Bad credentials - https://docs.github.com/rest',
    'HTTP 401: Bad credentials',
    'gh: To use GitHub CLI in a GitHub Actions workflow, set the GH_TOKEN environment variable. Example:',
    'Set the SONAR_TOKEN env variable.',
    'error - 2025-04-24 01:27:32,154 -- Upload failed: {"message":"Token required - not valid tokenless upload"}',
    'Codecov: Codecov token not found. Please provide Codecov token with -t flag.',
    'Error: [@octokit/auth-app] appId option is required',
  ],
  login: [
    'npm ERR! code ENEEDAUTH',
    'npm error need auth This command requires you to be logged in to https://registry.npmjs.org/',
    'npm ERR! code E401',
    'npm error 401 Unauthorized - GET https://npm.pkg.github.com/@acme%2fui - authentication token not provided',
    'npm ERR! 403 403 Forbidden - PUT https://registry.npmjs.org/@acme%2fui - You do not have permission to publish "ui".',
    'npm ERR! Unable to authenticate, need: Basic realm="GitHub Package Registry"',
    'ERROR HTTPError: 403 Forbidden from https://upload.pypi.org/legacy/',
    'error: no token found, please run `cargo login`',
    'Error: Error response from daemon: Get https://registry-1.docker.io/v2/: unauthorized: incorrect username or password',
    'ERROR: failed to push ghcr.io/acme/app:latest: denied: permission_denied: write_package',
    'denied: requested access to the resource is denied',
    'Error: Credentials could not be loaded, please check your action inputs: Could not load credentials from any providers',
    'Error: Could not assume role with OIDC: Not authorized to perform sts:AssumeRoleWithWebIdentity',
    'Error: Not authorized to perform sts:AssumeRoleWithWebIdentity',
    'Error: Error message: Unable to get ACTIONS_ID_TOKEN_REQUEST_URL env variable',
    'Error: Action failed with error: Error: $ACTIONS_ID_TOKEN_REQUEST_TOKEN is not set',
    'Error: google-github-actions/auth failed with: gitHub Actions did not inject $ACTIONS_ID_TOKEN_REQUEST_TOKEN or $ACTIONS_ID_TOKEN_REQUEST_URL into this job.',
    'Error: google-github-actions/auth failed with: retry function failed after 1 attempt: the GitHub Action workflow must specify exactly one of "workload_identity_provider" or "credentials_json"!',
    'Error: Action failed with error: Error: The GitHub Action workflow must specify exactly one of "workload_identity_provider" or "credentials_json"!',
    "Error: AADSTS700213: No matching federated identity record found for presented assertion subject 'repo:acme/app:environment:dev'.",
    "Error: Login failed with Error: Using auth-type: SERVICE_PRINCIPAL. Not all values are present. Ensure 'client-id' and 'tenant-id' are supplied.",
    'Unable to locate credentials. You can configure credentials by running "aws configure".',
    'An error occurred (ExpiredToken) when calling the AssumeRole operation: The security token included in the request is expired',
    'Error: No valid credential sources found',
    'Error: No existing credentials found. Please log in using `vercel login` or pass "--token"',
    'ERROR: (gcloud.run.deploy) You do not currently have an active account selected.',
  ],
};

/** Logs of failing code that only mention such words. */
const CODE: readonly (readonly [string, readonly string[]])[] = [
  [
    'a test of such a message in jest',
    [
      'FAIL __tests__/main.test.ts',
      '  ● run › needs a token',
      '    Error: Input required and not supplied: token',
      'Tests:       1 failed, 3 passed, 4 total',
    ],
  ],
  [
    'such a test in vitest, whose errors begin a line',
    [' FAIL  test/auth.test.ts > signs in', 'Error: Bad credentials', ' ❯ test/auth.test.ts:3:9'],
  ],
  ['an annotation of jest', ['##[error]AssertionError: expected "Bad credentials" to be "Not found"']],
  ['a comparison', ['AssertionError: expected "Resource not accessible by integration" to equal "Not found"']],
  ['a test in Go', ['--- FAIL: TestLogin (0.01s)', '    login_test.go:12: got "Bad credentials", want nil']],
  ['a test in Python', ['E   ValueError: Input required and not supplied: token', 'FAILED tests/test_a.py::test_b']],
  ['a test in Rust', ["thread 'main' panicked at src/lib.rs:3:5:", 'error: no token found, please run `cargo login`']],
  ['a test of mocha', ['  1 failing', '     Error: Username and password required']],
  ['a test of node', ['not ok 3 - refuses', "  error: 'Bad credentials'"]],
  ['a test of JUnit', ['Tests run: 4, Failures: 1, Errors: 0', 'java.lang.Error: Bad credentials']],
  ['a compiler', ["src/errors.ts(3,7): error TS2322: Type '\"Bad credentials\"' is not assignable to type 'number'."]],
  [
    'a compiler of Rust',
    ['error[E0425]: cannot find value `token`', 'error: no token found, please run `cargo login`'],
  ],
  ['a linter', ['src/a.js:3:1: error: unexpected string "Bad credentials"', 'Error: Bad credentials']],
  ['a linter that counts', ['  3:9  error  Strings must use singlequote', '✖ 1 problem (1 error, 0 warnings)']],
  ['words in the middle', ['Error: the page says: Input required and not supplied: token']],
  ['a log line of the program', ['2026-01-02 INFO login: Bad credentials for user 7', 'Error: timeout']],
  ['a program that tells of a budget', ['Error: budget exceeded: the job was not started because of it']],
  ['a warning', ['##[warning]Resource not accessible by integration', 'Error: build failed']],
  ['a spending limit of the product', ['Error: order 7 is above the spending limit']],
  ['a runner of the product', ['Error: runner "fast" lost communication with the server']],
  ['a missing file', ["Error: EACCES: permission denied, open '/etc/shadow'"]],
  ['a full disk of the job', ['OSError: [Errno 28] No space left on device']],
  [
    'a full disk of a hosted runner',
    ["System.IO.IOException: No space left on device : '/home/runner/runners/2.3/_diag/a.log'"],
  ],
  [
    'a local action',
    ["Can't find 'action.yml', 'action.yaml' or 'Dockerfile' under '/home/runner/work/app/app/tool'."],
  ],
  ['a credential of the product', ['ValueError: credentials could not be parsed']],
  ['a program that denies', ['Error: access denied: user 7']],
  ['a rule of the product', ['Error: Branch office is not allowed to deploy']],
  [
    'a package that does not exist',
    ['npm ERR! code E404', 'npm ERR! 404 Not Found - GET https://registry.npmjs.org/lodas'],
  ],
  ['a call that is refused', ['Error: Request failed with status code 403']],
  ['a call that is not authorised', ['Error: Request failed with status code 401']],
];

/** Each alone shows that code fails. */
const FAILING_CODE = [
  'FAIL test/a.test.js',
  '  FAILED tests/test_a.py::test_b',
  '  not ok 1 - adds',
  '--- FAIL: TestAdd (0.00s)',
  '    --- FAIL: TestAdd/zero',
  '✗ adds',
  '  ✕ adds (2 ms)',
  '✘ adds',
  '× adds',
  '● Sum › adds',
  '    ● Sum › adds',
  'E  assert 1 == 2',
  'E       ValueError: no',
  '3 failed, 2 passed',
  'test result: 12 failed',
  '  10 failing',
  '1 test failed',
  '2 tests failing',
  '1 failure',
  '4 examples, 20 failures',
  'Tests: 5, Failures: 2',
  'Uncaught AssertionError [ERR_ASSERTION]: no',
  'assertion failed: left == right',
  'assertion `left == right` failed',
  'src/a.ts(1,2): error TS2322: no',
  'error[E0425]: no',
  'src/a.c:10:22: error: no',
  'src/a.c:1:2: fatal error: no',
  'src/a.go:10:2 error: no',
  '  10:22  error  no',
  '    1:2 error no-var',
  '✖ 12 problems',
  '✖ 1 problem (1 error)',
  "thread 'main' panicked at src/a.rs:1:2:",
];

/** Looks like it. */
const NO_FAILING_CODE = [
  'FAILSAFE=1',
  'see FAIL below',
  'a not ok answer',
  'b --- FAIL: a',
  '✗x',
  'a ✗ b',
  '● Sum adds',
  'a ● Sum › adds',
  'E none',
  'ME   none',
  'E   ',
  '0 failed',
  '0 tests failed',
  '10 tests passed',
  'x1 failed',
  '10 failedover',
  'Failures: 0',
  'MyFailures: 2',
  'NoAssertionErrors',
  'assertion holds',
  'terror TS2322',
  'error TSX',
  'error[X0425]',
  'error[E]',
  'a b:10:22: error: no',
  'src/a.c:10: error: no',
  'src/a.c:10:22: errors: no',
  '10:22  error  no',
  '  10:22  errors',
  '  a:22  error  no',
  '  10:a  error  no',
  '✖ 0 problems',
  '✖ 1 prob',
  'unpanicked at noon',
];

describe('findPersonLine', () => {
  it.each(FAILING_CODE)('finds none in a step that says %j', (line) => {
    expect(inLog('##[group]Run x', '##[endgroup]', line, '##[error]Bad credentials')).toBeNull();
  });

  it.each(NO_FAILING_CODE)('finds one in a step that says %j', (line) => {
    expect(inLog('##[group]Run x', '##[endgroup]', line, '##[error]Bad credentials')).toBe('Bad credentials');
  });

  it.each(Object.entries(PERSON).flatMap(([kind, lines]) => lines.map((line) => [kind, line] as const)))(
    'finds %s: %s (L12, S21)',
    (_kind, line) => {
      expect(inMessage(line)).toBe(line);
      expect(
        inLog('##[group]Run acme/tool@v1', '##[endgroup]', line, '##[error]Process completed with exit code 1.'),
      ).toBe(line);
      expect(inLog(`##[error]${line}`)).toBe(line);
    },
  );

  it('knows more than eighty of them', () => {
    expect(Object.values(PERSON).flat().length).toBeGreaterThan(80);
  });

  it.each(CODE)('takes %s for code (L12)', (_what, lines) => {
    expect(
      inLog('##[group]Run npm test', '##[endgroup]', ...lines, '##[error]Process completed with exit code 1.'),
    ).toBeNull();
  });

  it('takes an annotation for a sign only where no failing step speaks of code', () => {
    const failing = `${STAMP}FAIL a.test.ts\n${STAMP}##[error]Process completed with exit code 1.\n`;

    expect(findPersonLine(RED, { messages: ['Bad credentials'], log: failing })).toBeNull();
    expect(findPersonLine(RED, { messages: ['Bad credentials'], log: '' })).toBe('Bad credentials');
    expect(findPersonLine(RED, { messages: ['Bad credentials'], log: null })).toBe('Bad credentials');
  });

  it('reads the steps that failed, and not what passed before them', () => {
    const passed = ['##[group]Run npm test', '##[endgroup]', 'FAIL a.test.ts (retried)', 'Bad credentials'];
    const deploy = ['##[group]Run acme/deploy@v1', '##[endgroup]'];

    expect(inLog(...passed, ...deploy, '##[error]Input required and not supplied: token')).toBe(
      'Input required and not supplied: token',
    );
    expect(inLog(...passed, ...deploy, '##[error]Process completed with exit code 1.')).toBeNull();
    expect(inLog('##[error]Bad credentials', ...deploy, '##[error]FAIL b.test.ts')).toBeNull();
  });

  it('reads everything where no step says that it failed', () => {
    expect(inLog('##[group]Run x', '##[endgroup]', 'a', '##[group]Run y', '##[endgroup]', 'Bad credentials')).toBe(
      'Bad credentials',
    );
  });

  it('does not read the script of a step', () => {
    const script = ['##[group]Run ./deploy.sh', 'Bad credentials', 'shell: bash', '##[endgroup]'];

    expect(inLog(...script, '##[error]Process completed with exit code 1.')).toBeNull();
    expect(inLog(...script, '##[group]Details', 'Bad credentials', '##[endgroup]', '##[error]x')).toBe(
      'Bad credentials',
    );
  });

  it('reads lines without colours, and of bounded length', () => {
    expect(inLog('\u001B[31mBad credentials\u001B[0m')).toBe('Bad credentials');
    expect(inLog(`Input required and not supplied: ${'x'.repeat(3000)}`)?.length).toBe(2000 - STAMP.length);
  });

  it('knows a run that did not start by its conclusion', () => {
    const nothing = { messages: [], log: null };

    expect(findPersonLine({ conclusion: 'startup_failure' }, nothing)).toBe('GitHub could not start the workflow run.');
    expect(
      findPersonLine({ conclusion: 'startup_failure' }, { messages: ['Invalid workflow file: a.yml'], log: null }),
    ).toBe('Invalid workflow file: a.yml');
    expect(findPersonLine(RED, nothing)).toBeNull();
  });

  it('takes no time for a hostile line', () => {
    for (const line of ['error: '.repeat(400), `${'a@b, '.repeat(400)}is not allowed`, '['.repeat(2000)]) {
      expect(toCpuMs(() => void inMessage(line))).toBeLessThan(5_000);
    }
  });
});
