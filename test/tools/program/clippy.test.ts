import { describe, it } from 'vitest';
import { clippy } from '../../../src/engines/program/clippy.ts';
import { checkTool } from '../support/check-tool.ts';
import { toProgramCase } from '../support/debian-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'clean' },
  { name: 'findings' },
  { name: 'denied' },
  { name: 'syntax-error' },
  { name: 'type-error' },
  { name: 'broken-config' },
  { name: 'crash' },
  { name: 'bad-flag', fixture: 'clean', args: ['--no-such-flag'] },
];

describe('clippy for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toProgramCase(clippy), ...toolCase });
  });
});
