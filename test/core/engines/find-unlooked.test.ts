import { describe, expect, it } from 'vitest';
import { findAskedSubmodules, findUnlooked } from '../../../src/core/engines/find-unlooked.ts';

const submodules = [
  { path: 'lib', isHere: true },
  { path: 'vendor/lib', isHere: false },
  { path: 'vendor/lib-more', isHere: false },
];

describe('submodules', () => {
  it('were not looked at where the change moves them and they are not here (E5)', () => {
    const changed = new Set(['lib', 'vendor/lib', 'src/a.ts']);

    expect(findUnlooked({ submodules }, changed)).toEqual(['vendor/lib']);
    expect(findUnlooked({ submodules: [] }, changed)).toEqual([]);
  });

  it('were asked for where they, or a path in them, were', () => {
    const uncoveredPaths = ['lib/deep/a.c', 'vendor/lib', 'vendor/lib-other/b.c', 'libs'];

    expect(findAskedSubmodules({ submodules, uncoveredPaths })).toEqual(['lib', 'vendor/lib']);
    expect(findAskedSubmodules({ submodules, uncoveredPaths: [] })).toEqual([]);
  });
});
