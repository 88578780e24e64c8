import { describe, it } from 'vitest';
import { goVet } from '../../../src/engines/program/go-vet.ts';
import { checkTool } from '../support/check-tool.ts';
import { toProgramCase } from '../support/debian-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'clean', targets: ['.', 'deep'] },
  { name: 'findings', targets: ['.', 'deep'] },
  { name: 'type-error', targets: ['bad', 'good'] },
  { name: 'syntax-error', targets: ['bad'] },
  { name: 'broken-config' },
  { name: 'missing-file', fixture: 'clean', targets: ['gone'] },
];

describe('go-vet for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toProgramCase(goVet), ...toolCase });
  });
});
