import { describe, it } from 'vitest';
import { tsc } from '../../../src/engines/node/tsc.ts';
import { checkTool } from '../support/check-tool.ts';
import { toNodeCase, withoutHeap, withoutStack } from '../support/npm-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'clean' },
  { name: 'findings' },
  { name: 'syntax-error' },
  { name: 'semantic-1xxx' },
  { name: 'broken-config' },
  { name: 'config-not-json' },
  { name: 'missing-reference' },
  { name: 'missing-types' },
  { name: 'no-inputs' },
  { name: 'solution' },
  { name: 'missing-config', fixture: 'clean', configPath: 'gone.json' },
  { name: 'bad-flag', fixture: 'clean', args: ['--noSuchFlag'] },
];

describe('tsc for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toNodeCase(tsc), ...toolCase });
  });

  it.each(CASES)('$name gives what its recording expects (typescript-5)', async (toolCase) => {
    const fixture = `tsc/${toolCase.fixture ?? toolCase.name}`;
    await checkTool({ ...toNodeCase(tsc, { installed: 'typescript-5' }), ...toolCase, tool: 'typescript-5', fixture });
  });

  it('crash gives what its recording expects', async () => {
    await checkTool({ ...withoutStack(toNodeCase(tsc)), name: 'crash', fixture: 'clean' });
  });

  it('crash gives what its recording expects (typescript-5)', async () => {
    const toolCase = withoutHeap({ env: {}, ...toNodeCase(tsc, { installed: 'typescript-5' }) });
    await checkTool({ ...toolCase, name: 'crash', tool: 'typescript-5', fixture: 'tsc/clean' });
  });
});
