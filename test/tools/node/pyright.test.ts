import { describe, it } from 'vitest';
import { basedpyright, pyright } from '../../../src/engines/node/pyright.ts';
import { checkTool } from '../support/check-tool.ts';
import { toNodeCase, withoutHeap } from '../support/npm-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'clean' },
  { name: 'findings' },
  { name: 'syntax-error' },
  { name: 'broken-config' },
  { name: 'no-files' },
  { name: 'missing-file', fixture: 'clean', args: ['gone.py'] },
  { name: 'missing-config', fixture: 'clean', configPath: 'gone.json' },
];

describe('pyright for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toNodeCase(pyright), ...toolCase });
  });

  it.each(CASES)('$name gives what its recording expects (basedpyright)', async (toolCase) => {
    const fixture = `pyright/${toolCase.fixture ?? toolCase.name}`;
    await checkTool({ ...toNodeCase(basedpyright), ...toolCase, fixture });
  });

  it.each([pyright, basedpyright])('crash gives what its recording expects ($id)', async (spec) => {
    await checkTool({ ...withoutHeap({ env: {}, ...toNodeCase(spec) }), name: 'crash', fixture: 'pyright/clean' });
  });
});
