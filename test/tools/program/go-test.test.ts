import { describe, it } from 'vitest';
import { goTest } from '../../../src/engines/program/go-test.ts';
import { checkTool } from '../support/check-tool.ts';
import { toProgramCase } from '../support/debian-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'clean', targets: ['.', 'doc'] },
  { name: 'findings', targets: ['.', 'deep'] },
  { name: 'build-failure', targets: ['bad', 'good'] },
  { name: 'panic', targets: ['boom'] },
  { name: 'crash', targets: ['exits'] },
  { name: 'setup-failure', targets: ['setup'] },
  { name: 'build-tags' },
  { name: 'broken-config' },
  { name: 'missing-file', fixture: 'clean', targets: ['gone'] },
];

describe('go-test for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toProgramCase(goTest), ...toolCase });
  });
});
