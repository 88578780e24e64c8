import { describe, expect, it } from 'vitest';
import { type JudgedRun, judgeRun } from '../../../src/core/engines/judge-run.ts';
import type { EngineSpec, Payload } from '../../../src/core/model/engine.ts';
import { toFinding } from '../../../src/engines/parse/to-finding.ts';
import { aSpec } from '../../support/plan-builders.ts';

type Parsed = Extract<Payload, { readonly kind: 'parsed' }>;

function judge(
  kind: EngineSpec['kind'],
  change: Partial<Parsed>,
  plan: { readonly targets?: readonly string[] } = {},
): JudgedRun {
  return judgeRun({
    ...{ spec: aSpec({ kind }), plan: { engine: 'own', project: '.', mode: 'target', ...plan }, version: '1.0.0' },
    ...{ settings: { exitCodes: {}, ignoreExit: [] }, argv: ['own'], cwd: '.', stderr: '', dependencies: 'ready' },
    exit: { kind: 'exited', exitCode: 0, signal: null, durationMs: 1 },
    payload: {
      kind: 'parsed',
      ...{ findings: [], partial: null, toolFailure: null, tests: null, coverage: null },
      ...change,
    },
  });
}

describe('a run over a file whose name is no UTF-8', () => {
  it('has not looked at it, whatever it says: there is no file of the name that it got (E2)', () => {
    const of = (targets: readonly string[], unparsed?: readonly string[]): Partial<JudgedRun> =>
      judge('lint', unparsed === undefined ? {} : { partial: 'a file', unparsed }, { targets });

    expect(of(['a\uFFFD.sh', 'b.sh']).complete).toBe(false);
    expect(of(['a\uFFFD.sh', 'b.sh']).incompleteWhy).toContain('no UTF-8');
    expect(of(['a\uFFFD.sh'], ['b.sh'])).not.toHaveProperty('unparsed');
    expect(of(['b.sh'], ['b.sh'])).toMatchObject({ incompleteWhy: 'a file', unparsed: ['b.sh'] });
    expect(of(['b.sh']).complete).toBe(true);
  });
});

describe('a runner that ran nothing', () => {
  it('is not clean where a switch makes no test at all a success', () => {
    expect(judge('test', { tests: [] })).toMatchObject({
      complete: false,
      incompleteWhy: 'it ran no test',
      error: null,
    });
    expect(judge('coverage', { coverage: { files: [] } })).toMatchObject({
      ...{ complete: false, incompleteWhy: 'it measured no file' },
    });
  });

  it('is clean where all tests were skipped, and where a tool says nothing of tests', () => {
    expect(judge('test', { tests: [{ id: 'a', outcome: 'skipped', path: null }] }).complete).toBe(true);
    expect(judge('test', {}).complete).toBe(true);
    expect(judge('lint', { tests: [] }).complete).toBe(true);
    expect(judge('coverage', {}).complete).toBe(true);
  });

  it('says why instead of that, where it knows', () => {
    const broken = toFinding({ kind: 'collection_error', severity: 'blocker', message: 'no' });

    expect(judge('test', { tests: [], partial: 'cut' }).incompleteWhy).toBe('cut');
    expect(judge('test', { tests: [], findings: [broken] }).complete).toBe(true);
  });
});
