import { describe, it } from 'vitest';
import { biome } from '../../../src/engines/node/biome.ts';
import { checkTool } from '../support/check-tool.ts';
import { toNodeCase, withoutStack } from '../support/npm-tools.ts';
import type { ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'clean' },
  { name: 'findings' },
  { name: 'syntax-error' },
  { name: 'broken-config' },
  { name: 'missing-file', fixture: 'clean', targets: ['src/gone.js'] },
  { name: 'missing-config', fixture: 'clean', configPath: 'gone.json' },
  { name: 'bad-flag', fixture: 'clean', args: ['--no-such-flag'] },
];

describe('biome for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({ ...toNodeCase(biome), ...toolCase });
  });

  it('crash gives what its recording expects', async () => {
    await checkTool({ ...withoutStack(toNodeCase(biome)), name: 'crash', fixture: 'clean' });
  });
});
