import type { World } from '../../world/start-world.ts';

/** A small repository whose pull request has a failing test, with people who may and may not write. */
export interface RedPullRequest {
  readonly repo: string;
  readonly number: number;
  readonly branch: string;
}

export const WRITER = 'maintainer';
export const READER = 'passer-by';

/** What proves the repository: a real program, and the quickest. Node's test runner takes twice as long to start. */
export const TEST_COMMAND = 'node sum.test.mjs';

/** A workflow with one job, `test`; `on` is YAML of one line. */
export function toWorkflow(on: string, command = TEST_COMMAND): string {
  return `name: ci
on: ${on}
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: ${command}
`;
}

/** Short waits: the tests do not want to sit out a real settle time. */
export const QUICK_POLICY = `ci:
  settleSeconds: 1
  staleTimeoutSeconds: 30
validate:
  - ${TEST_COMMAND}
`;

const SUM = 'export function sum(left, right) {\n  return left + right;\n}\n';
export const BROKEN_SUM = 'export function sum(left, right) {\n  return left - right;\n}\n';
const TEST = `import { sum } from './sum.mjs';

const actual = sum(2, 3);
if (actual !== 5) {
  console.error(\`✖ adds: \${actual} !== 5\`);
  process.exitCode = 1;
}
`;

/** A test that is red in CI alone, as many are: what leaves it red cannot be seen here, and may be pushed. */
export const RED_IN_CI_ONLY = {
  'sum.test.mjs': TEST.replace('sum(2, 3)', "process.env.GITHUB_ACTIONS === 'true' ? sum(2, 3) : 5"),
};

/** Steps of the scripted agent that repair it. */
export const REPAIR = { do: 'edit', file: 'sum.mjs', find: 'left - right', replace: 'left + right' };

/** What may differ from the usual red pull request. */
export interface RedOptions {
  /** Each owner has an installation of its own, and so its own pace of writes. */
  readonly owner?: string;
  readonly name?: string;
  /** The scripted agent can choose its steps by it. */
  readonly title?: string;
  readonly policy?: string | null;
  /** More files on the base branch; null takes one away. */
  readonly files?: Readonly<Record<string, string | null>>;
  /** What the pull request changes; by default it breaks `sum`. */
  readonly change?: Readonly<Record<string, string | null>>;
}

/** Makes the repository, installs the App on it and opens the pull request; its CI fails by really running. */
export async function openRedPullRequest(world: World, options: RedOptions = {}): Promise<RedPullRequest> {
  const name = options.name ?? 'calculator';
  const repo = `${options.owner ?? 'acme'}/${name}`;
  await createCalculator(world, name, options);
  const branch = 'feature/rework';
  await world.commit({
    repo,
    branch,
    from: 'main',
    files: options.change ?? { 'sum.mjs': BROKEN_SUM },
    message: 'Rework sum',
    login: WRITER,
  });
  const title = options.title ?? 'Rework sum';
  const number = await world.openPullRequest({ repo, head: branch, base: 'main', title, login: WRITER });
  return { repo, number, branch };
}

/** The repository alone, with the App on it, a writer and a reader. */
export async function createCalculator(world: World, name: string, options: RedOptions = {}): Promise<void> {
  const owner = options.owner ?? 'acme';
  const repo = `${owner}/${name}`;
  const files = {
    'package.json': `{"name":"calculator","type":"module","scripts":{"test":"${TEST_COMMAND}"}}\n`,
    'sum.mjs': SUM,
    'sum.test.mjs': TEST,
    '.github/workflows/ci.yml': toWorkflow('[push, pull_request]'),
    '.github/ratchet.yml': options.policy === undefined ? QUICK_POLICY : options.policy,
    ...options.files,
  };
  const present = Object.entries(files).flatMap(([path, text]) => (text === null ? [] : [[path, text] as const]));
  for (const login of [WRITER, READER]) world.createUser(login);
  await world.createRepository({ owner, name, private: true, files: Object.fromEntries(present) });
  world.installApp(repo);
  world.setPermission(repo, WRITER, 'write');
  world.setPermission(repo, READER, 'read');
}

/** Our check runs at the pull request's head. */
export async function ratchetChecks(world: World, { repo, number }: RedPullRequest): ReturnType<World['checkRuns']> {
  return world.checkRuns(repo, number, { name: 'Ratchet' });
}

/** Waits until our check run at the head has this conclusion; returns its summary. */
export async function untilConcluded(world: World, red: RedPullRequest, conclusion: string): Promise<string> {
  await world.until(async () => (await ratchetChecks(world, red)).some((check) => check.conclusion === conclusion), {
    what: `a check run Ratchet with the conclusion ${conclusion} on ${red.repo}#${String(red.number)}`,
  });
  const checks = await ratchetChecks(world, red);
  return checks.map(({ output }) => `${output.title ?? ''}\n${output.summary ?? ''}`).join('\n');
}

/** Pushes that the App made to the repository. */
export function ownPushes(world: World, repo: string): World['pushes'] {
  return world.pushes.filter((push) => push.repo === repo && push.login === world.botUser.login);
}
