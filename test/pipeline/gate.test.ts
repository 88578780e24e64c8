import { describe, expect, it } from 'vitest';
import { aChange, fakeSha } from '../support/builders.ts';
import { toPatch } from '../support/fake-git.ts';
import { LIVE_SECRET, type Pipeline, startLaunched, WRITER } from '../support/pipeline-fixture.ts';
import { textWith } from '../support/text-with.ts';

/** The steps from a launch to a push, in the order that the gate promises. */
const STEPS = [
  'sites.probe',
  'git.ensureMirror',
  'run agent',
  'site.takeTree',
  'run npm test',
  'prove npm test',
  'git.createCommit',
  'git.keepCommit',
  'git.pushKept',
] as const;

type StepName = (typeof STEPS)[number];

/** What refuses, how it comes about, the last step that runs, and how the session ends. */
interface Refusal {
  readonly what: string;
  readonly arrange: (pipeline: Pipeline) => void;
  readonly lastStep: StepName;
  readonly outcome: object;
}

function refused(what: string, code: string, lastStep: StepName, arrange: Refusal['arrange']): Refusal {
  return { what, arrange, lastStep, outcome: { kind: 'rejected', code } };
}

/** Something that takes the ground away while `step` runs. */
function moved(
  what: string,
  why: string,
  [step, lastStep]: readonly [string, StepName],
  move: Refusal['arrange'],
): Refusal {
  return {
    what,
    arrange: (pipeline) => pipeline.sites.during(step, () => move(pipeline)),
    lastStep,
    outcome: { kind: 'superseded', why },
  };
}

const TEST = 'test/a.test.ts';
const A_TEST = "it('adds', () => {\n  expect(add(1, 1)).toBe(2);\n});\n";

const HEAD = { 'package.json': '{"scripts":{"test":"node --test"}}', [TEST]: A_TEST };

/** The agent changes nothing but its test. */
function leaveTest(git: Pipeline['git'], old: string, now: string): void {
  git.agentLeaves({ changes: [aChange({ path: TEST })], patch: toPatch(TEST, now) });
  git.texts({ head: HEAD, after: { [TEST]: A_TEST.replace(old, now) } });
}

const PLANNED: readonly [string, StepName] = ['npm test', 'prove npm test'];
const AT_AGENT: readonly [string, StepName] = ['agent', 'prove npm test'];

const REFUSALS: readonly Refusal[] = [
  ...['mode: suggest', 'mode: observe', 'mode: nonsense'].map((policyText) => ({
    what: `a policy that became \`${policyText}\` meanwhile (trap 62)`,
    arrange: ({ sites, github }: Pipeline) => sites.during('npm test', () => github.change({ policyText })),
    lastStep: 'prove npm test' as const,
    outcome: { kind: 'suggested' },
  })),
  refused('a sandbox that cannot run (F37)', 'SANDBOX_UNAVAILABLE', 'sites.probe', ({ sites }) =>
    sites.setProbe({ kind: 'unavailable', why: 'no user namespaces' }),
  ),
  refused('an agent that is not there (F36)', 'AGENT_UNAVAILABLE', 'sites.probe', ({ agent }) =>
    agent.setUnavailable('not installed'),
  ),
  {
    what: 'a pull request that was closed before',
    arrange: ({ github }) => github.change({ state: 'closed' }),
    lastStep: 'sites.probe',
    outcome: { kind: 'superseded', why: 'closed' },
  },
  {
    what: 'a head that moved before',
    arrange: ({ pushFromOutside }) => pushFromOutside(fakeSha('outside')),
    lastStep: 'sites.probe',
    outcome: { kind: 'superseded', why: 'head_moved' },
  },
  refused('nothing to validate with', 'NO_VALIDATION', 'git.ensureMirror', ({ git }) =>
    git.texts({ head: { 'src/a.ts': 'before' } }),
  ),
  refused('a setup that fails', 'SETUP_FAILED', 'git.ensureMirror', ({ github, sites }) => {
    github.change({ policyText: 'setup: make vendor' });
    sites.endWith('make vendor', { exitCode: 2 });
  }),
  {
    ...refused('a setup that a signal ends', 'SETUP_FAILED', 'git.ensureMirror', ({ github, sites }) => {
      github.change({ policyText: 'setup: make vendor' });
      sites.endWith('make vendor', { exitCode: 137, processesLeft: 1 });
    }),
    outcome: {
      ...{ kind: 'rejected', code: 'SETUP_FAILED' },
      detail: textWith('did not succeed (exited, exit code 137, signal SIGKILL, processes left: 1).'),
    },
  },
  refused('a setup that forks without end', 'PROCESS_LIMIT', 'git.ensureMirror', ({ github, sites }) => {
    github.change({ policyText: 'setup: make vendor' });
    sites.endWith('make vendor', { kind: 'process_limit', exitCode: null });
  }),
  refused('an agent that crashes', 'AGENT_CRASHED', 'site.takeTree', ({ sites }) =>
    sites.endWith('agent', { exitCode: 1 }),
  ),
  refused('an agent that floods its output', 'AGENT_OUTPUT_FLOOD', 'site.takeTree', ({ sites }) =>
    sites.endWith('agent', { kind: 'output_flood', exitCode: null }),
  ),
  refused('an agent that fills the disk', 'DISK_QUOTA', 'run agent', ({ sites }) =>
    sites.endWith('agent', { kind: 'disk_quota', exitCode: null }),
  ),
  refused('an agent that says it failed (001.R38)', 'AGENT_FAILED', 'site.takeTree', ({ agent }) =>
    agent.answer('failure'),
  ),
  refused('an agent that says it is blocked', 'AGENT_BLOCKED', 'site.takeTree', ({ agent }) => agent.answer('blocked')),
  refused('processes that outlive the agent', 'PROCESSES_LEFT', 'run agent', ({ sites }) =>
    sites.endWith('agent', { processesLeft: 1 }),
  ),
  refused('a claim of success over an unchanged tree (001.R38)', 'NO_CHANGE', 'site.takeTree', ({ git }) =>
    git.agentLeaves({ changes: [], patch: '' }),
  ),
  refused('a change of a workflow (T52)', 'PROTECTED_PATH', 'site.takeTree', ({ git }) =>
    git.agentLeaves({ changes: [aChange({ path: '.github/workflows/ci.yml' })] }),
  ),
  refused('a change outside the allowed paths', 'PATH_NOT_ALLOWED', 'site.takeTree', ({ git, github }) => {
    github.change({ policyText: 'changes: { allowedPaths: [docs/**] }' });
    git.agentLeaves({ changes: [aChange({ path: 'src/a.ts' })] });
  }),
  refused('a change of what validates it', 'PROTECTED_PATH', 'site.takeTree', ({ git }) => {
    git.agentLeaves({ changes: [aChange({ path: 'package.json' })] });
    git.texts({ after: { 'package.json': '{"scripts":{"test":"true"}}' } });
  }),
  refused('a symbolic link (T25)', 'UNSAFE_ENTRY', 'site.takeTree', ({ git }) =>
    git.agentLeaves({ changes: [aChange({ kind: 'added', oldMode: '000000', newMode: '120000' })] }),
  ),
  refused('a deleted test (T53)', 'TESTS_DELETED', 'site.takeTree', ({ git }) => {
    git.agentLeaves({ changes: [aChange({ kind: 'deleted', path: TEST, newMode: '000000' })] });
    git.texts({ head: HEAD });
    git.knows(fakeSha('tree'), { 'package.json': HEAD['package.json'] });
  }),
  refused('a skipped test', 'TESTS_WEAKENED', 'site.takeTree', ({ git }) => leaveTest(git, 'it(', 'it.skip(')),
  {
    what: 'a test that expects something else, which a person has to look at (S28)',
    arrange: ({ git }) => leaveTest(git, 'toBe(2)', 'toBe(3)'),
    lastStep: 'git.keepCommit',
    outcome: { kind: 'held', facts: [{ code: 'EXPECTATION_CHANGED', path: TEST, line: 2 }, { code: 'ONLY_TESTS' }] },
  },
  {
    what: 'any change of a test where the policy lets them all wait',
    arrange: ({ git, github }) => {
      github.change({ policyText: 'changes: { tests: hold }' });
      leaveTest(git, '});', '});\n');
    },
    lastStep: 'git.keepCommit',
    outcome: { kind: 'held', facts: [{ code: 'TESTS_CHANGED', path: TEST, line: null }, { code: 'ONLY_TESTS' }] },
  },
  {
    what: 'a test that a person has to look at, where a command fails: nobody is asked for nothing (001.R42)',
    arrange: ({ git, sites }) => {
      leaveTest(git, 'toBe(2)', 'toBe(3)');
      sites.endWith('npm test', { exitCode: 1 });
    },
    lastStep: 'run npm test',
    outcome: { kind: 'rejected', code: 'VALIDATION_FAILED' },
  },
  refused('characters that nobody can see', 'HIDDEN_TEXT', 'site.takeTree', ({ git }) =>
    git.agentLeaves({ patch: toPatch('src/a.ts', 'const a\u202Eb = 1;') }),
  ),
  refused('a diff that is too long to be read whole', 'DIFF_TOO_LARGE', 'site.takeTree', ({ git }) =>
    git.agentLeaves({ patchTruncated: true }),
  ),
  refused('a validation that fails (001.R42)', 'VALIDATION_FAILED', 'run npm test', ({ sites }) =>
    sites.endWith('npm test', { exitCode: 1, stdoutTail: '1 failing' }),
  ),
  refused('a validation that runs no tests', 'NO_TESTS_RAN', 'run npm test', ({ sites }) =>
    sites.endWith('npm test', { exitCode: 0, stdoutTail: 'No tests found, exiting with code 0' }),
  ),
  refused('a validation that hangs', 'VALIDATION_TIMEOUT', 'run npm test', ({ sites }) =>
    sites.endWith('npm test', { kind: 'timed_out', exitCode: null }),
  ),
  refused('a validation that leaves processes', 'PROCESSES_LEFT', 'run npm test', ({ sites }) =>
    sites.endWith('npm test', { processesLeft: 2 }),
  ),
  refused('a validation that takes all memory', 'MEMORY_LIMIT', 'run npm test', ({ sites }) =>
    sites.endWith('npm test', { kind: 'memory_limit', exitCode: null }),
  ),
  refused('a secret of this process in the diff (T54)', 'SECRET_FOUND', 'run npm test', ({ git }) =>
    git.agentLeaves({ patch: toPatch('src/a.ts', `const key = '${LIVE_SECRET}';`) }),
  ),
  refused('what looks like a token in the diff', 'SECRET_FOUND', 'run npm test', ({ git }) =>
    git.agentLeaves({ patch: toPatch('src/a.ts', `const key = 'ghp_${'a1B2'.repeat(9)}';`) }),
  ),
  moved('a permission that is withdrawn meanwhile (T7)', 'permission', PLANNED, ({ github }) =>
    github.permit(WRITER.login, WRITER.id, 'read'),
  ),
  moved('a login that another account takes over meanwhile', 'permission', PLANNED, ({ github }) =>
    github.permit(WRITER.login, 999, 'admin'),
  ),
  moved('a pull request that is closed meanwhile (S9)', 'closed', PLANNED, ({ github }) =>
    github.change({ state: 'closed' }),
  ),
  moved('a head that moves meanwhile (S9)', 'head_moved', PLANNED, ({ pushFromOutside }) =>
    pushFromOutside(fakeSha('outside')),
  ),
  moved('a base branch that is exchanged meanwhile', 'base_changed', PLANNED, ({ github }) =>
    github.change({ baseRef: 'release/1' }),
  ),
  moved('a policy of the base that changes meanwhile', 'base_changed', PLANNED, ({ github }) =>
    github.change({ policyText: 'changes: { protectedPaths: [src/**] }' }),
  ),
  moved('auto-merge that is turned on meanwhile (S16)', 'stopped', PLANNED, ({ github }) =>
    github.change({ autoMerge: true }),
  ),
  moved('a merge queue that takes it meanwhile (S16)', 'stopped', AT_AGENT, ({ github }) =>
    github.change({ inMergeQueue: true }),
  ),
  moved('a disable meanwhile (S9)', 'disabled', AT_AGENT, ({ store, key }) =>
    store.updateWorkspace(key, { enablement: 'disabled' }),
  ),
];

describe('the write gate', () => {
  it('takes its steps in a fixed order, each once', async () => {
    const pipeline = await startLaunched();

    await pipeline.runFixup();

    const steps = new Set<string>(STEPS);
    expect(pipeline.journal.filter((step) => steps.has(step))).toEqual(STEPS);
    expect(pipeline.git.pushed).toHaveLength(1);
  });

  it.each(REFUSALS)('ends at $what, and no later step runs', async ({ arrange, lastStep, outcome }) => {
    const pipeline = await startLaunched();
    arrange(pipeline);

    await pipeline.runFixup();

    const steps = new Set<string>(STEPS);
    expect(pipeline.endedSessions()).toMatchObject([{ outcome }]);
    expect(pipeline.journal.filter((step) => steps.has(step))).toEqual(STEPS.slice(0, STEPS.indexOf(lastStep) + 1));
    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.github.tokens.map(({ purpose }) => purpose)).not.toContain('push');
    expect(pipeline.workspace()).toMatchObject({ consecutiveAttempts: 0, lastPushSha: null, activeSessionId: null });
    expect(pipeline.sites.heldSlots()).toBe(0);
    expect(pipeline.github.comments).toEqual([]);
  });

  it('reads the pull request again as the last step before the commit (traps 27 and 62)', async () => {
    const pipeline = await startLaunched();

    await pipeline.runFixup();

    const from = pipeline.journal.indexOf('prove npm test');
    expect(pipeline.journal.slice(from + 1, pipeline.journal.indexOf('git.pushKept') + 1)).toEqual([
      ...['github.readPullRequest', 'github.readPermission', 'git.createCommit', 'git.keepCommit'],
      ...['github.mintGitToken', 'git.openMirror', 'git.pushKept'],
    ]);
  });

  it('reads it once more before the push where that had to wait for its token', async () => {
    const pipeline = await startLaunched();
    pipeline.github.during('mintGitToken', () => {
      pipeline.github.during('mintGitToken', () => {
        pipeline.clock.advance(16_000);
        pipeline.github.change({ state: 'closed' });
        return Promise.resolve();
      });
      return Promise.resolve();
    });

    await pipeline.runFixup();

    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'superseded', why: 'closed' } }]);
  });

  it.each([
    ['disabled', { enablement: 'disabled' }],
    ['paused', { pause: { by: WRITER, at: 0 } }],
  ] as const)('pushes nothing where it is %s while the push is on its way (002.R29)', async (why, patch) => {
    const pipeline = await startLaunched();
    pipeline.github.during('mintGitToken', () => {
      pipeline.github.during('mintGitToken', () => {
        pipeline.store.updateWorkspace(pipeline.key, patch);
        return Promise.resolve();
      });
      return Promise.resolve();
    });

    await pipeline.runFixup();

    expect(pipeline.git.pushed).toEqual([]);
    expect(pipeline.endedSessions()).toMatchObject([{ outcome: { kind: 'superseded', why } }]);
  });

  it('keeps diff and validation with a refusal, for the people who read it', async () => {
    const pipeline = await startLaunched();
    pipeline.sites.endWith('npm test', { exitCode: 1, stdoutTail: `1 failing, ${LIVE_SECRET}` });

    await pipeline.runFixup();

    const [session] = pipeline.endedSessions();
    expect(session?.outcome).toMatchObject({
      diff: { files: 1, insertions: 1, deletions: 1 },
      validation: [{ command: 'npm test', exitCode: 1 }],
    });
    expect(JSON.stringify(session?.outcome)).toContain('1 failing');
    expect(JSON.stringify(session?.outcome)).not.toContain(LIVE_SECRET);
  });

  it('keeps request and patch as artifacts, whatever became of the attempt (traps 29 and 124)', async () => {
    const pipeline = await startLaunched();
    pipeline.agent.answer('failure');

    await pipeline.runFixup();

    const folder = String(pipeline.endedSessions()[0]?.id);
    expect([...pipeline.files.written.keys()]).toEqual(
      expect.arrayContaining([`${folder}/agent-request.json`, `${folder}/patch.diff`]),
    );
  });
});

describe('what runs in the sandbox', () => {
  it('is the agent on the head with its history and evidence, then the validation on the changed tree alone', async () => {
    const pipeline = await startLaunched();
    const { headSha } = pipeline.github.facts();

    await pipeline.runFixup();

    const [agent, validation] = pipeline.sites.opened;
    const sealed = { network: 'none', limits: 'enforced', isolation: 'full' };
    expect(agent).toMatchObject({
      ...{ ...sealed, name: 'agent', programs: ['fake'] },
      tree: { treeSha: headSha, hasHistory: true },
    });
    expect(agent?.inputs['check-1.txt']).toContain('Check: build');
    expect(validation).toMatchObject({
      ...{ ...sealed, name: 'validate', programs: [], inputs: {}, dependencies: null },
      tree: { treeSha: fakeSha('tree'), hasHistory: false, masked: [] },
    });
    expect(pipeline.sites.commands.every(({ network, keepsHome }) => network === 'none' && !keepsHome)).toBe(true);
    expect(pipeline.sites.mostAtOnce()).toBe(1);
  });

  it('gets every validation command of the policy, till the first that fails', async () => {
    const pipeline = await startLaunched({ policyText: 'validate: [lint, build, test]' });
    pipeline.sites.endWith('build', { exitCode: 1 });

    await pipeline.runFixup();

    expect(pipeline.journal.filter((step) => step.startsWith('run '))).toEqual(['run agent', 'run lint', 'run build']);
    expect(pipeline.git.pushed).toEqual([]);
  });

  it('finds no configuration of agents that the head tracks, and cannot leave any (T34)', async () => {
    const pipeline = await startLaunched({ policyText: 'setup: make vendor' });
    pipeline.git.texts({
      head: {
        'package.json': '{"scripts":{"test":"node --test"}}',
        'AGENTS.md': 'obey',
        '.claude/settings.json': '{}',
      },
    });

    await pipeline.runFixup();

    const agent = pipeline.sites.opened.find(({ name }) => name === 'agent');
    expect(agent?.tree?.masked).toEqual(['AGENTS.md', '.claude/settings.json']);
    expect(pipeline.sites.excluded).toEqual([['AGENTS.md', '.claude/settings.json', 'node_modules']]);
  });

  it('shares prepared dependencies, read-only; the same lockfiles are not prepared twice', async () => {
    const pipeline = await startLaunched({ policyText: 'setup: make vendor' });
    await pipeline.runFixup();
    await pipeline.evaluate();
    pipeline.reportCi('failure');
    await pipeline.evaluate();
    await pipeline.runFixup();

    const runs = pipeline.sites.commands.filter(({ argv }) => argv.at(-1) !== 'make vendor');
    expect(pipeline.git.pushed).toHaveLength(2);
    expect(pipeline.journal.filter((step) => step === 'run make vendor')).toHaveLength(1);
    expect(runs).toHaveLength(6);
    for (const { site } of runs) expect(site.dependencies?.paths).toEqual(['node_modules']);
  });
});

describe('what setup made (T34)', () => {
  it('reaches the validation whole, and the agent without any configuration of an agent', async () => {
    const pipeline = await startLaunched();
    pipeline.github.change({ policyText: 'setup: make vendor' });
    pipeline.sites.makeBySetup('node_modules', '.claude', 'CLAUDE.md', '.mcp.json');

    await pipeline.runFixup();

    const pathsOf = (wanted: string): readonly (readonly string[])[] =>
      pipeline.sites.commands
        .filter(({ argv }) => argv.join(' ').includes(wanted))
        .map(({ site }) => site.dependencies?.paths ?? []);
    const whole = ['node_modules', '.claude', 'CLAUDE.md', '.mcp.json'];
    expect(pathsOf('agent')).toEqual([['node_modules']]);
    expect(pathsOf('npm test')).toEqual([whole, whole]);
    expect(pipeline.sites.excluded).toEqual([['node_modules', '.claude', 'CLAUDE.md', '.mcp.json']]);
  });
});
