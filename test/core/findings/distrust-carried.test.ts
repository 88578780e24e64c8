import { describe, expect, it } from 'vitest';
import { type Carried, distrustCarried } from '../../../src/core/findings/distrust-carried.ts';
import type { EngineComparison } from '../../../src/core/model/engine-report.ts';
import type { Finding } from '../../../src/core/model/finding.ts';
import { aFinding } from '../../support/engine-stories.ts';

const NOTHING: Carried = { paths: new Set(), engines: new Set() };
const CONFTEST: Carried = { paths: new Set(['conftest.py']), engines: new Set(['pytest']) };
const CHANGED = new Map([['conftest.py', new Set([3])]]);

type Compared = Extract<EngineComparison, { kind: 'compared' }>;

function compared(existing: readonly Finding[], change: { readonly engine?: string } = {}): Compared {
  const none = { added: [], fixed: [], uncompared: [], removedTests: [], skippedTests: [] };
  return { kind: 'compared', engine: 'eslint', project: '.', ...none, existing, ...change };
}

describe('distrustCarried', () => {
  const onChanged = aFinding({ path: 'conftest.py', line: 3 });
  const onOther = aFinding({ path: 'conftest.py', line: 4 });
  const ofFile = aFinding({ path: 'conftest.py', line: null });
  const elsewhere = aFinding({ path: 'a.py', line: 3 });
  const nowhere = aFinding({ path: null, line: null });

  it('leaves what the base says of files that are its own', () => {
    const comparison = compared([onChanged, nowhere]);

    expect(distrustCarried(comparison, NOTHING, CHANGED)).toBe(comparison);
    expect(distrustCarried(compared([elsewhere, nowhere]), CONFTEST, CHANGED)).toEqual(compared([elsewhere, nowhere]));
  });

  it('calls new what stands on a changed line of a file that the base had from the head, and nothing else in it existing', () => {
    const before = compared([ofFile, onChanged, onOther, elsewhere, nowhere]);
    const known = aFinding({ path: 'z.py' });
    const open = aFinding({ path: 'y.py' });

    expect(distrustCarried({ ...before, added: [known], uncompared: [open] }, CONFTEST, CHANGED)).toEqual({
      ...before,
      added: [onChanged, known],
      existing: [elsewhere, nowhere],
      uncompared: [ofFile, onOther, open],
    });
  });

  it.each(['test_failure', 'collection_error'] as const)(
    'says of no %s that the base has it, too, where the change touches the configuration of its engine',
    (kind) => {
      const failing = aFinding({ kind, path: 'test_a.py', line: 3 });
      const lint = aFinding({ path: 'test_a.py', line: 3 });

      expect(distrustCarried(compared([failing, lint], { engine: 'pytest' }), CONFTEST, CHANGED)).toMatchObject({
        added: [],
        existing: [lint],
        uncompared: [failing],
      });
      expect(distrustCarried(compared([failing]), CONFTEST, CHANGED)).toMatchObject({ existing: [failing] });
    },
  );

  it('calls nothing new where nothing could be compared', () => {
    const comparison: EngineComparison = {
      ...{ kind: 'not_comparable', engine: 'eslint', project: '.', why: 'x' },
      findings: [onChanged, elsewhere],
      existing: [onChanged, elsewhere],
    };

    expect(distrustCarried(comparison, CONFTEST, CHANGED)).toEqual({ ...comparison, existing: [elsewhere] });
  });
});
