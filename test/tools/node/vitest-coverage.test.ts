import { describe, expect, it } from 'vitest';
import type { Parser } from '../../../src/core/model/engine.ts';
import type { FileCoverage } from '../../../src/core/model/finding.ts';
import { parseIstanbul } from '../../../src/engines/generic/parse-istanbul.ts';
import { parseLcov } from '../../../src/engines/generic/parse-lcov.ts';
import { vitestCoverage } from '../../../src/engines/node/vitest-coverage.ts';
import { RECORDED_ROOT } from '../../engines/support/recording.ts';
import { checkTool } from '../support/check-tool.ts';
import { toNodeCase } from '../support/npm-tools.ts';
import { runTool, type ToolCase } from '../support/run-tool.ts';

const CASES: readonly Pick<ToolCase, 'name' | 'fixture' | 'targets' | 'configPath' | 'args'>[] = [
  { name: 'threshold' },
  { name: 'whole' },
  { name: 'failing-tests', fixture: 'vitest/findings' },
  { name: 'unhandled-error', fixture: 'vitest/unhandled-error' },
  { name: 'broken-config', fixture: 'vitest/broken-config' },
  { name: 'no-tests', fixture: 'vitest/no-tests' },
  { name: 'syntax-error', fixture: 'vitest/syntax-error' },
  { name: 'missing-config', fixture: 'vitest/clean', configPath: 'gone.config.js' },
  { name: 'crash', fixture: 'vitest/crash' },
];

describe('vitest-coverage for real', () => {
  it.each(CASES)('$name gives what its recording expects', async (toolCase) => {
    await checkTool({
      ...toNodeCase(vitestCoverage, { packages: { '@vitest/coverage-v8': '@vitest/coverage-v8' } }),
      ...toolCase,
    });
  });

  it('writes the same coverage as lcov: lcov is read as it really is', async () => {
    const packages = { '@vitest/coverage-v8': '@vitest/coverage-v8' };
    const output = { ...vitestCoverage.output, reports: [...(vitestCoverage.output.reports ?? []), LCOV] };
    const { reports } = await runTool({
      ...toNodeCase({ ...vitestCoverage, output }, { packages }),
      name: 'lcov',
      fixture: 'vitest-coverage/threshold',
      args: ['--coverage.reporter=lcovonly'],
    });
    const read = (parse: Parser, name: string): unknown => {
      const input = { root: RECORDED_ROOT, cwd: '.', stderr: '', exitCode: 0, earlierExitCodes: [], version: null };
      const payload = parse({ ...input, reports, text: reports[name] ?? null });
      return payload.kind === 'parsed' ? payload.coverage?.files.map(toLines) : payload;
    };

    const lines = read(parseLcov, LCOV);
    expect(lines).not.toEqual([]);
    expect(lines).toEqual(read(parseIstanbul, 'coverage-final.json'));
  });
});

const LCOV = 'lcov.info';

/** The one counts lines, the other statements: what both tell is which lines are missing. */
function toLines({ path, missingLines }: FileCoverage): unknown {
  return { path, missingLines };
}
