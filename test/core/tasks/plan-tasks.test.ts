import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupFindings } from '../../../src/core/tasks/group-findings.ts';
import { planTasks, type TasksInput } from '../../../src/core/tasks/plan-tasks.ts';
import { aGap } from '../findings/parsed-findings.ts';
import { aKnown, aLint, anUnloaded, aSource, aTasksInput, aTest, found } from './task-stories.ts';

const { settings } = aTasksInput();
const titles = (input: Partial<TasksInput>) => planTasks(aTasksInput(input)).tasks.map(({ title }) => title);
const whys = (input: Partial<TasksInput>) =>
  planTasks(aTasksInput(input)).unplanned.map(({ finding, why }) => [finding.filePath, why]);

describe('the tasks for what was found', () => {
  it('are one for each file of tests and one for each file of a linter (001.R22, R53)', () => {
    const findings = [
      ...found('eslint', [aLint('src/b.js', 1), aLint('src/a.js', 1), aLint('src/a.js', 9)]),
      ...found('pytest', [
        aTest('tests/test_b.py', 'test_1'),
        aTest('tests/test_a.py', 'test_2'),
        aTest('tests/test_a.py', 'test_1'),
      ]),
    ];

    expect(titles({ findings })).toEqual([
      'Repair 2 findings of eslint in src/a.js',
      'Repair 1 finding of eslint in src/b.js',
      'Repair 2 failing tests in tests/test_a.py',
      'Repair 1 failing test in tests/test_b.py',
    ]);
  });

  it('are planned for a tool that the core has never heard of like for any other (001.R1, 001.R2)', () => {
    const { spec } = aSource('eslint');
    const sources = [aSource('eslint', { spec: { ...spec, id: 'own-linter' } })].map((source) => ({
      ...source,
      plan: { ...source.plan, engine: 'own-linter' },
    }));
    const findings = found('own-linter', [aLint('src/a.own', 3)]);

    const { tasks, unplanned } = planTasks(aTasksInput({ findings, sources }));

    expect(unplanned).toEqual([]);
    expect(tasks.map(({ tool, title }) => [tool, title])).toEqual([
      ['own-linter', 'Repair 1 finding of own-linter in src/a.own'],
    ]);
  });

  it('have what the document names, from their findings (001.R6)', () => {
    const findings = found('pytest', [aTest('tests/test_a.py', 'test_2'), aTest('tests/test_a.py', 'test_1')]);
    const [task] = planTasks(aTasksInput({ findings })).tasks;

    expect(task).toMatchObject({
      tool: 'pytest',
      taskType: 'fix',
      worker: 'agent',
      priority: 300,
      title: 'Repair 2 failing tests in tests/test_a.py',
      description:
        'tests/test_a.py:7 [tests/test_a.py::test_1] assert 1 == 2\ntests/test_a.py:7 [tests/test_a.py::test_2] assert 1 == 2',
      targets: {
        files: ['tests/test_a.py'],
        testIds: ['tests/test_a.py::test_1', 'tests/test_a.py::test_2'],
        modules: [],
      },
      retryPolicy: { maxRetries: 2 },
      dependsOn: [],
      findings: findings.map(({ fingerprint }) => fingerprint).toSorted(),
    });
    expect(task?.fingerprint).toMatch(/^[0-9a-f]{64}$/u);
  });

  it('are the same in any order of the findings, each with a fingerprint of its own (001.R6)', () => {
    const findings = [
      ...found('eslint', [aLint('src/b.js'), aLint('src/a.js', 1), aLint('src/a.js', 9)]),
      ...found('pytest', [
        anUnloaded('tests/test_c.py'),
        anUnloaded('tests/test_d.py'),
        aTest('tests/test_a.py', 'test_1'),
      ]),
    ];
    const expected = planTasks(aTasksInput({ findings })).tasks;

    expect(new Set(expected.map(({ fingerprint }) => fingerprint)).size).toBe(expected.length);
    fc.assert(
      fc.property(fc.shuffledSubarray([...findings], { minLength: findings.length }), (shuffled) => {
        expect(planTasks(aTasksInput({ findings: shuffled })).tasks).toEqual(expected);
      }),
    );
  });

  it('change their fingerprint when a finding is another one', () => {
    const one = planTasks(aTasksInput({ findings: found('eslint', [aLint('a.js', 1)]) })).tasks;
    const other = planTasks(aTasksInput({ findings: found('eslint', [aLint('a.js', 2)]) })).tasks;

    expect(one[0]?.fingerprint).not.toBe(other[0]?.fingerprint);
  });

  it('of tests that cannot load come first, before failing tests and warnings (001.R20)', () => {
    const findings = [
      ...found('eslint', [aLint('src/a.js', 1, { severity: 'medium' })]),
      ...found('pytest', [aTest('tests/test_a.py', 'test_1'), anUnloaded('tests/test_b.py')]),
    ];

    expect(titles({ findings })).toEqual([
      'Let the tests in tests/test_b.py load',
      'Repair 1 failing test in tests/test_a.py',
      'Repair 1 finding of eslint in src/a.js',
    ]);
  });

  it('about one cause in many files are one task, which the other tasks of these files wait for (001.R22, C13)', () => {
    const thrown = (file: string) => aTest(file, 'test_x', { identity: 'KeyError|src/lib.py|load' });
    const findings = found('pytest', [
      ...['tests/test_a.py', 'tests/test_b.py', 'tests/test_c.py'].map(thrown),
      aTest('tests/test_a.py', 'test_own'),
      aTest('tests/test_d.py', 'test_own'),
    ]);
    const { tasks } = planTasks(aTasksInput({ findings }));
    const [systemic, own, free] = tasks;

    expect(tasks).toHaveLength(3);
    expect(systemic).toMatchObject({
      taskType: 'refactor',
      title: 'Repair one cause in 3 files: assert 1 == 2',
      priority: 350,
      retryPolicy: { maxRetries: 3 },
      dependsOn: [],
    });
    expect(systemic?.targets.files).toEqual(['tests/test_a.py', 'tests/test_b.py', 'tests/test_c.py']);
    expect([own?.targets.files, own?.dependsOn]).toEqual([['tests/test_a.py'], [systemic?.fingerprint]]);
    expect([free?.targets.files, free?.dependsOn]).toEqual([['tests/test_d.py'], []]);
  });

  it('are not systemic if one file has all of it, or fewer files than the policy says', () => {
    const thrown = (file: string, name: string) => aTest(file, name, { identity: 'KeyError|src/lib.py|load' });
    const oneFile = found('pytest', [thrown('tests/test_a.py', 'x'), thrown('tests/test_a.py', 'y')]);
    const twoFiles = found('pytest', [thrown('tests/test_a.py', 'x'), thrown('tests/test_b.py', 'x')]);

    expect(groupFindings(oneFile, 2).map(({ taskType }) => taskType)).toEqual(['fix']);
    expect(groupFindings(twoFiles, 3).map(({ taskType }) => taskType)).toEqual(['fix', 'fix']);
    expect(groupFindings(twoFiles, 2).map(({ taskType }) => taskType)).toEqual(['refactor']);
  });

  it('do not mix what two tools or two projects say of a file', () => {
    const here = found('eslint', [aLint('a.js')]);
    const there = here.map((finding) => ({ ...finding, meta: { ...finding.meta, project: 'packages/x' } }));
    const sources = [aSource('eslint'), aSource('eslint', {}, 'packages/x'), aSource('biome')];

    expect(titles({ findings: [...here, ...there, ...found('biome', [aLint('a.js')])], sources })).toHaveLength(3);
  });

  it('of a skipped test let it run again, and are another task than the findings of its file (S29)', () => {
    const skip = aLint('tests/test_a.py', 3, { kind: 'suppression', rule: 'new-suppression/skipped-test' });
    const other = aLint('tests/test_a.py', 4, { kind: 'suppression', rule: 'new-suppression/noqa' });
    const { tasks } = planTasks(aTasksInput({ findings: found('ratchet', [skip, other]), commands: [aCommand] }));

    expect(tasks.map(({ taskType, title }) => [taskType, title]).toSorted()).toEqual([
      ['fix', 'Repair 1 finding of ratchet in tests/test_a.py'],
      ['remove_skip', 'Let the skipped tests in tests/test_a.py run and pass'],
    ]);
  });

  it('are as many as the policy allows, the most urgent ones, and the others are named', () => {
    const findings = [
      ...found('eslint', [aLint('src/a.js'), aLint('src/b.js')]),
      ...found('pytest', [anUnloaded('tests/test_b.py')]),
    ];
    const plan = planTasks(
      aTasksInput({
        findings,
        settings: { ...settings, maxTasks: 3 },
        known: [aKnown({ status: 'succeeded', cause: null })],
      }),
    );

    expect(plan.tasks.map(({ targets }) => targets.files)).toEqual([['tests/test_b.py'], ['src/a.js']]);
    expect(plan.unplanned.map(({ finding, why }) => [finding.filePath, why])).toEqual([['src/b.js', 'MAX_TASKS']]);
  });

  it('count neither fixers nor the tasks of earlier runs against that limit', () => {
    const known = [aKnown({ worker: 'fixer', status: 'succeeded' }), aKnown({ isOfRun: false, base: 'old' })];

    expect(
      titles({ findings: found('eslint', [aLint('a.js')]), settings: { ...settings, maxTasks: 1 }, known }),
    ).toHaveLength(1);
    expect(
      whys({
        findings: found('eslint', [aLint('a.js')]),
        settings: { ...settings, maxTasks: 1 },
        known: [aKnown(), aKnown()],
      }),
    ).toEqual([['a.js', 'MAX_TASKS']]);
  });

  it('need something that shows the repair: without an engine and without commands there is no task', () => {
    const findings = found('ratchet', [aLint('a.js')]);
    const { tasks } = planTasks(aTasksInput({ findings, commands: [aCommand] }));

    expect(whys({ findings })).toEqual([['a.js', 'NO_VALIDATION']]);
    expect(tasks[0]?.validation).toEqual({
      commands: [aCommand],
      check: null,
      successCriteria: { require_exit_code_0: true, max_new_findings: null, min_coverage_delta: null },
    });
  });

  it('list at most 20 findings, and count the others', () => {
    const findings = found(
      'eslint',
      Array.from({ length: 22 }, (_, index) => aLint('a.js', index + 1)),
    );
    const lines = planTasks(aTasksInput({ findings })).tasks[0]?.description.split('\n') ?? [];

    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe('and 2 more findings');
  });

  it('have titles of one short line, whatever a message says', () => {
    const findings = found(
      'pytest',
      ['a', 'b'].map((name) =>
        aTest(`tests/${name}.py`, 'x', { message: `boom\n${'x'.repeat(500)}`, identity: 'E|src/l.py|f' }),
      ),
    );
    const title = titles({ findings })[0] ?? '';

    expect(title).toMatch(/^Repair one cause in 2 files: boom x+…$/u);
    expect(title.length).toBeLessThanOrEqual(121);
  });
});

describe('the tasks for coverage', () => {
  const coverage = (covered: number, change = {}) =>
    found('coverage', [aGap({ path: 'src/a.py' })], {
      coverage: { files: [{ path: 'src/a.py', covered, total: 100, missingLines: [] }] },
      ...change,
    });
  const sources = [aSource('pytest'), aSource('coverage')];

  it('add tests for each source file below the limit (001.R26, R27)', () => {
    const { tasks } = planTasks(aTasksInput({ findings: coverage(79), sources }));

    expect(tasks).toMatchObject([
      {
        taskType: 'add_test',
        title: 'Add tests for src/a.py',
        targets: { files: ['src/a.py'], testIds: [], modules: ['src/a.py'] },
        validation: { successCriteria: { require_exit_code_0: false, max_new_findings: null, min_coverage_delta: 5 } },
      },
    ]);
    expect(whys({ findings: coverage(80), sources })).toEqual([['src/a.py', 'COVERED_ENOUGH']]);
  });

  it('are planned for a gap of which nobody knows the size, and for a missed threshold', () => {
    const unknown = found('coverage', [aGap({ path: 'src/a.py' })]);
    const threshold = found('coverage', [aGap({ kind: 'coverage_threshold', path: null, severity: 'high' })]);

    expect(titles({ findings: unknown, sources })).toEqual(['Add tests for src/a.py']);
    expect(titles({ findings: threshold, sources })).toEqual(['Add tests for the project']);
  });

  it('come last, and wait for all tasks of tests', () => {
    const findings = [
      ...coverage(10),
      ...found('eslint', [aLint('a.js', 1, { severity: 'low' })]),
      ...found('pytest', [aTest('tests/test_a.py', 'x')]),
    ];
    const { tasks } = planTasks(aTasksInput({ findings, sources: [...sources, aSource('eslint')] }));

    expect(tasks.map(({ tool }) => tool)).toEqual(['pytest', 'eslint', 'coverage']);
    expect(tasks[2]?.dependsOn).toEqual([tasks[0]?.fingerprint]);
    expect(tasks[1]?.dependsOn).toEqual([]);
  });

  it('wait until tests pass: a run that did not measure everything is not believed', () => {
    const incomplete = [aSource('pytest'), aSource('coverage', { isComplete: false })];
    const open = [aKnown({ tool: 'pytest', status: 'queued', cause: null })];

    expect(whys({ findings: coverage(10), sources: incomplete })).toEqual([['src/a.py', 'TESTS_FIRST']]);
    expect(whys({ findings: coverage(10), sources, known: open })).toEqual([['src/a.py', 'TESTS_FIRST']]);
    expect(whys({ findings: coverage(10), sources: [aSource('pytest')] })).toEqual([['src/a.py', 'TESTS_FIRST']]);
    expect(whys({ findings: coverage(10), sources, known: [aKnown({ tool: 'eslint', status: 'queued' })] })).toEqual(
      [],
    );
  });
});

const aCommand = {
  runner: 'generic',
  args: ['/bin/sh', '-c', 'npm test'],
  env: {},
  cwd: '.',
  timeout_seconds: 60,
} as const;
