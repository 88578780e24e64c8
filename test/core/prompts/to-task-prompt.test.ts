import { describe, expect, it } from 'vitest';
import { toTaskRequest } from '../../../src/core/agents/to-agent-request.ts';
import { TASK_TYPES } from '../../../src/core/model/agent-contract.ts';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import { parseRunId, parseSha } from '../../../src/core/model/ids.ts';
import { toTaskPrompt } from '../../../src/core/prompts/to-task-prompt.ts';
import { toCommandLine } from '../../../src/core/tasks/command-line.ts';
import { aPromptBase, splitPrompt } from '../../support/prompt-builders.ts';
import { aPlannedTask, aTaskFinding } from '../../support/task-store.ts';

const commitSha = parseSha('a'.repeat(40));
const runId = parseRunId('run-1');
const task = {
  ...aPlannedTask('a', {
    title: 'tests fail',
    description: 'a long text',
    targets: { files: ['test/a.js'], testIds: ['adds'], modules: ['src/a.js'] },
  }),
  id: 7,
};
const base = { ...aPromptBase({ facts: { commitSha }, sessionId: runId }), findings: [aTaskFinding('a')] };

describe('toTaskPrompt (001.R34)', () => {
  it('quotes what the repository says about the task, and has its findings as a file', () => {
    const prompt = toTaskPrompt({ ...base, task });

    const { inside, outside } = splitPrompt(prompt.text);
    expect(inside).toEqual(
      expect.arrayContaining([
        `commit: ${commitSha}`,
        'task: "tests fail"',
        'file: "test/a.js"',
        'test: "adds"',
        'to be covered: "src/a.js"',
      ]),
    );
    expect(outside).not.toContain('tests fail');
    expect(outside).toContain('"task_id": "run-1-t7"');
    expect(prompt.evidence).toEqual(['/ratchet/evidence/findings.jsonl', '/ratchet/evidence/task.txt']);
    expect(JSON.parse(prompt.files['findings.jsonl'] ?? '')).toMatchObject({ kind: aTaskFinding('a').kind });
  });

  it('has no file about a task of which there is no more to say', () => {
    expect(toTaskPrompt({ ...base, task: { ...task, description: '' } }).evidence).toHaveLength(1);
  });

  it.each(TASK_TYPES)('says what a task of the type %s asks for', (taskType) => {
    const { outside } = splitPrompt(toTaskPrompt({ ...base, task: { ...task, taskType } }).text);

    expect(outside).toMatch(/Do not|Only add tests|nothing else/u);
  });
});

describe('toTaskRequest (001.R34)', () => {
  it('names the task, its targets and its validation, with paths in the workspace', () => {
    const command = { runner: 'node', args: ['/n', 'a b'], env: {}, timeout_seconds: 60 } as const;
    const validation = {
      commands: [
        { ...command, cwd: '.' },
        { ...command, cwd: 'packages/a' },
      ],
      check: null,
      successCriteria: { require_exit_code_0: true, max_new_findings: 0, min_coverage_delta: null },
    };

    const request = toTaskRequest({
      ...{ runId, task: { ...task, validation }, policy: DEFAULT_POLICY, workspacePath: '/workspace', prompt: 'p' },
      ...{ evidence: ['/e'], previousEvidence: [] },
    });

    expect(request).toMatchObject({
      run_id: 'run-1',
      task_id: 'run-1-t7',
      task_type: task.taskType,
      tool: task.tool,
      targets: { files: ['test/a.js'], test_ids: ['adds'], modules: ['src/a.js'] },
      validation: { success_criteria: { max_new_findings: 0 } },
      context: { findings_refs: ['/e'] },
    });
    expect(request.validation.commands.map(({ cwd }) => cwd)).toEqual(['/workspace', '/workspace/packages/a']);
  });
});

describe('toCommandLine', () => {
  it('quotes what a shell would take apart, and changes into the folder of the command', () => {
    const args = ['python3', '-m', 'pytest', "a b's"];

    expect(toCommandLine({ args, cwd: '.' })).toBe("python3 -m pytest 'a b'\\''s'");
    expect(toCommandLine({ args: ['tsc'], cwd: 'a b' })).toBe("cd 'a b' && tsc");
  });
});
