import { describe, expect, it } from 'vitest';
import { toAgentRequest } from '../../../src/core/agents/to-agent-request.ts';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import { parseSessionId } from '../../../src/core/model/ids.ts';

const task = {
  sessionId: parseSessionId('s1'),
  tool: 'review',
  prompt: 'Do what /ratchet/evidence/check-1.txt asks for.',
  targetFiles: ['src/sum.ts'],
  policy: DEFAULT_POLICY,
  evidence: ['/ratchet/evidence/check-1.txt'],
  previousEvidence: ['/ratchet/evidence/previous.diff'],
  validation: { kind: 'commands', commands: ['npm test'], source: 'policy' },
  workspacePath: '/workspace',
} as const;

describe('toAgentRequest (001.R34)', () => {
  it('names the evidence as files, the exact validation and the limits', () => {
    const request = toAgentRequest(task);

    expect(request).toMatchObject({
      schema_version: 1,
      run_id: 's1',
      task_id: 's1-review',
      tool: 'review',
      targets: { files: ['src/sum.ts'] },
      workspace_path: '/workspace',
      allowed_paths: ['**'],
      context: {
        findings_refs: ['/ratchet/evidence/check-1.txt'],
        previous_attempt_refs: ['/ratchet/evidence/previous.diff'],
      },
      validation: { commands: [{ args: ['/bin/sh', '-c', 'npm test'], timeout_seconds: 600 }] },
      constraints: { max_files_changed: 100, max_lines_changed: 1000 },
    });
    expect(request.read_only_paths).toContain('.github/workflows');
    expect(request.instructions.task_prompt).toContain('/ratchet/evidence/check-1.txt');
  });

  it('narrows the paths to those of the policy', () => {
    const changes = { ...DEFAULT_POLICY.changes, allowedPaths: ['src/**'], protectedPaths: ['legal/**'] };

    const request = toAgentRequest({ ...task, policy: { ...DEFAULT_POLICY, changes } });

    expect(request.allowed_paths).toEqual(['src/**']);
    expect(request.read_only_paths.at(-1)).toBe('legal/**');
  });
});
