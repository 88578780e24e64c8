import { describe, expect, it } from 'vitest';
import { parseRunId } from '../../../src/core/model/ids.ts';
import { planFixerTasks } from '../../../src/core/tasks/plan-fixer-tasks.ts';
import { planQuarantine } from '../../../src/core/tasks/plan-quarantine.ts';
import { planTasks } from '../../../src/core/tasks/plan-tasks.ts';
import { aKnown, aLint, anUnloaded, aSource, aTasksInput, aTest, found } from './task-stories.ts';

const FILES = ['a.js', 'b.js', 'c.js', 'tests/test_a.py'];

describe('the tasks of fixers (001.R53)', () => {
  const findings = [
    ...found('biome', [aLint('a.js', 1, { kind: 'format' })]),
    ...found('eslint', [aLint('b.js'), aLint('a.js'), aLint('link.js'), aLint('x', 1, { path: null })]),
    ...found('pytest', [aTest('tests/test_a.py', 'x')]),
  ];
  const sources = [aSource('biome'), aSource('eslint'), aSource('pytest')];
  const plan = (known = [aKnown()]) => planFixerTasks(aTasksInput({ findings, sources, known }), FILES);

  it('are one for each tool that has a fixer, over the files with findings, and layout comes last', () => {
    expect(plan().map(({ task, fix }) => [task.tool, task.targets.files, fix.plan.targets])).toEqual([
      ['eslint', ['a.js', 'b.js'], ['a.js', 'b.js']],
      ['biome', ['a.js'], ['a.js']],
    ]);
  });

  it('are before all tasks of agents, need no agent, are tried once and may leave findings', () => {
    const [task, second] = plan().map((each) => each.task);
    const agents = planTasks(aTasksInput({ findings, sources })).tasks;

    expect(task).toMatchObject({
      ...{
        taskType: 'fix',
        worker: 'fixer',
        title: 'Let eslint fix what it can in 2 files',
        description: 'a.js\nb.js',
      },
      ...{ retryPolicy: { maxRetries: 0 }, dependsOn: [] },
      validation: {
        check: { engine: 'eslint', project: '.', paths: ['a.js', 'b.js'] },
        successCriteria: { require_exit_code_0: false, max_new_findings: 0, min_coverage_delta: null },
      },
    });
    expect(task?.findings).toHaveLength(2);
    expect(task?.priority).toBeGreaterThan(second?.priority ?? Number.NaN);
    expect(second?.priority).toBeGreaterThan(Math.max(...agents.map(({ priority }) => priority)));
  });

  it('are planned once in a run, whatever became of them', () => {
    const [first] = plan().map(({ task }) => task);
    const tried = aKnown({ fingerprint: first?.fingerprint ?? '', worker: 'fixer', status: 'succeeded', cause: null });

    expect(plan([tried]).map(({ task }) => task.tool)).toEqual(['biome']);
    expect(plan([aKnown({ ...tried, isOfRun: false })])).toHaveLength(2);
  });

  it('do not mix projects', () => {
    const two = [aSource('eslint'), aSource('eslint', {}, 'packages/x')];
    const inner = found('eslint', [aLint('packages/x/a.js')]).map((each) => ({
      ...each,
      meta: { ...each.meta, project: 'packages/x' },
    }));
    const planned = planFixerTasks(aTasksInput({ findings: inner, sources: two }), ['packages/x/a.js']);

    expect(planned.map(({ fix }) => fix.plan.project)).toEqual(['packages/x']);
  });

  it('hold back no finding of theirs after they ended', () => {
    const [fixer] = plan().map(({ task }) => task);
    const ended = aKnown({ ...fixer, status: 'blocked', cause: 'RETRY_CAP' });

    expect(planTasks(aTasksInput({ findings, sources, known: [ended] })).unplanned).toEqual([]);
  });
});

describe('a quarantine (S29)', () => {
  const settings = { ...aTasksInput().settings, quarantine: true, quarantineOwner: 'team-x', quarantineDays: 2 };
  const now = Date.UTC(2026, 0, 30, 12);
  const capped = { status: 'blocked', cause: 'RETRY_CAP', causeDetail: 'it still fails', endsRun: false } as const;
  const taskOf = (findings: ReturnType<typeof found>) => {
    const [planned] = planTasks(aTasksInput({ findings })).tasks;
    if (planned === undefined) throw new Error('no task');
    return { ...planned, id: 1, runId: parseRunId('r'), status: 'running', cause: null, causeDetail: '' } as const;
  };
  const task = taskOf(found('pytest', [aTest('tests/test_a.py', 'x')]));

  it('is proposed for tests at the retry cap, with owner, reason and expiry, if the policy allows it', () => {
    const planned = planQuarantine(task, capped, { settings, now });

    expect(planned?.quarantine).toEqual({
      ...{ testIds: ['tests/test_a.py::x'], owner: 'team-x', reason: 'it still fails' },
      expiresAt: Date.UTC(2026, 1, 1, 12),
    });
    expect(planned?.task).toEqual({
      ...{ tool: 'pytest', worker: 'agent', priority: task.priority, targets: task.targets, findings: task.findings },
      fingerprint: planned?.task.fingerprint,
      taskType: 'quarantine',
      title: 'Quarantine 1 test that nobody could repair',
      description: 'tests/test_a.py::x\nowner: team-x\nexpires: 2026-02-01\nreason: it still fails',
      validation: {
        ...task.validation,
        successCriteria: { require_exit_code_0: false, max_new_findings: 0, min_coverage_delta: null },
      },
      retryPolicy: { maxRetries: 0 },
      dependsOn: [],
    });
    expect(planned?.task.fingerprint).toMatch(/^[0-9a-f]{64}$/u);
    expect(planned?.task.fingerprint).not.toBe(task.fingerprint);
  });

  it('says so if it has no owner', () => {
    const planned = planQuarantine(task, capped, { settings: { ...settings, quarantineOwner: null }, now });

    expect(planned?.quarantine.owner).toBeNull();
    expect(planned?.task.description).toContain('owner: nobody');
  });

  it('is never proposed without the policy, before the cap, for what did not run, or twice', () => {
    const refused = [
      planQuarantine(task, capped, { settings: { ...settings, quarantine: false }, now }),
      planQuarantine(task, { ...capped, status: 'queued', cause: null }, { settings, now }),
      planQuarantine(task, { ...capped, cause: 'AGENT_BLOCKED' }, { settings, now }),
      planQuarantine(taskOf(found('pytest', [anUnloaded('tests/test_a.py')])), capped, { settings, now }),
      planQuarantine({ ...task, taskType: 'quarantine' }, capped, { settings, now }),
    ];

    expect(refused).toEqual([null, null, null, null, null]);
  });
});
