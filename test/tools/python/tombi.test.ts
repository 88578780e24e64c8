import { describe, it } from 'vitest';
import { tombi } from '../../../src/engines/python/tombi.ts';
import { checkTool } from '../support/check-tool.ts';
import { toNodeCase } from '../support/npm-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'args'>[] = [
  { name: 'clean' },
  // Of several files it tells in any order; the digest sorts.
  { name: 'findings' },
  // Enough that messages written by two threads would mix.
  { name: 'many' },
  { name: 'syntax-error' },
  { name: 'broken-config' },
  { name: 'missing-file', fixture: 'clean', targets: ['gone.toml'] },
  { name: 'bad-flag', fixture: 'clean', args: ['--no-such-flag'] },
];

describe('tombi for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toNodeCase(tombi), ...toolCase });
  });
});
