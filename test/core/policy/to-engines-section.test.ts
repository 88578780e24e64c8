import { describe, expect, it } from 'vitest';
import { DEFAULT_ENGINE_SETTINGS } from '../../../src/core/model/default-policy.ts';
import type { DeclaredEngine, EngineSettings } from '../../../src/core/model/policy.ts';

import { toEnginesSection } from '../../../src/core/policy/to-engines-section.ts';

const DECLARED: DeclaredEngine = {
  command: ['./own'],
  format: 'sarif',
  kind: 'lint',
  globs: ['**/*'],
  targets: 'project',
  from: 'stdout',
  matcher: null,
  matcherText: null,
  fix: null,
  emptyMeansClean: false,
};

function entryOf(set: Partial<EngineSettings>): unknown {
  const engines = { one: { ...DEFAULT_ENGINE_SETTINGS, ...set } };
  return toEnginesSection({ auto: false, failLevel: 'low', engines })?.['one'];
}

describe('toEnginesSection', () => {
  it('is null where there are no engines', () => {
    expect(toEnginesSection(null)).toBeNull();
  });

  it('has the level and whether engines are looked for before the engines', () => {
    expect(JSON.stringify(toEnginesSection({ auto: true, failLevel: 'low', engines: {} }))).toBe(
      '{"auto":true,"failLevel":"low"}',
    );
    const projects = { add: ['a'], exclude: [] };
    expect(toEnginesSection({ auto: true, failLevel: 'low', engines: {}, projects })).toEqual({
      auto: true,
      failLevel: 'low',
      projects,
    });
  });

  it.each<[string, Partial<EngineSettings>, unknown]>([
    ['an engine of which nothing is set', {}, true],
    ['one that is switched off', { enabled: false }, false],
    ['one that is switched off and set', { enabled: false, required: true }, { enabled: false, required: true }],
    ['what is set, and nothing else', { paths: [], timeoutSeconds: 5 }, { paths: [], timeoutSeconds: 5 }],
    ['a map', { env: { A: 'b' }, exitCodes: { success: [3] } }, { env: { A: 'b' }, exitCodes: { success: [3] } }],
    [
      "a tool of the repository, by the file's names",
      { declared: DECLARED },
      {
        command: ['./own'],
        format: 'sarif',
        kind: 'lint',
        globs: ['**/*'],
        targets: 'project',
        from: 'stdout',
        emptyMeansClean: false,
      },
    ],
    [
      'a problem matcher, but not its text',
      { declared: { ...DECLARED, format: 'matcher', matcher: 'm.json', matcherText: '{}' }, required: true },
      {
        required: true,
        command: ['./own'],
        format: 'matcher',
        kind: 'lint',
        globs: ['**/*'],
        targets: 'project',
        from: 'stdout',
        matcher: 'm.json',
        emptyMeansClean: false,
      },
    ],
  ])('writes %s', (_what, set, expected) => {
    expect(entryOf(set)).toEqual(expected);
  });
});
