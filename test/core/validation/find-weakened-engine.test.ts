import { describe, expect, it } from 'vitest';
import { DEFAULT_ENGINE_SETTINGS } from '../../../src/core/model/default-policy.ts';
import type { DeclaredEngine, EngineSettings, EnginesPolicy } from '../../../src/core/model/policy.ts';
import { findWeakenedEngine } from '../../../src/core/validation/find-weakened-engine.ts';

const DECLARED: DeclaredEngine = {
  ...{ command: ['node', './tools/todos.mjs', '--out', '{report}'], format: 'jsonl', kind: 'lint', globs: ['**/*'] },
  ...{ targets: 'project', from: 'file', matcher: null, matcherText: null, fix: null, emptyMeansClean: true },
};

function toPolicy(set: Partial<EngineSettings>): EnginesPolicy {
  return { auto: true, failLevel: 'low', engines: { todos: { ...DEFAULT_ENGINE_SETTINGS, ...set } } };
}

const find = (set: Partial<EngineSettings>, ...changed: readonly string[]): string | null =>
  findWeakenedEngine(toPolicy(set), ['src/a.ts', ...changed])?.path ?? null;

describe('findWeakenedEngine', () => {
  it('finds the program that an engine of the policy starts, and names the engine', () => {
    expect(findWeakenedEngine(toPolicy({ declared: DECLARED }), ['src/a.ts', 'tools/todos.mjs'])).toEqual({
      path: 'tools/todos.mjs',
      what: 'the policy names it for the engine "todos"',
    });
  });

  it('finds it below the folder that the engine runs in', () => {
    expect(find({ declared: DECLARED, cwd: './web/' }, 'web/tools/todos.mjs')).toBe('web/tools/todos.mjs');
  });

  it('finds a configuration file and a problem matcher that the policy names', () => {
    expect(find({ config: 'lint/eslint.config.js' }, 'lint/eslint.config.js')).toBe('lint/eslint.config.js');
    expect(find({ declared: { ...DECLARED, matcher: 'tools/m.json' } }, 'tools/m.json')).toBe('tools/m.json');
  });

  it('finds nothing in what no engine is named for, and without engines', () => {
    expect(find({ declared: DECLARED }, 'tools/other.mjs')).toBeNull();
    expect(find({ declared: DECLARED }, 'tools/other.mjs')).toBeNull();
    expect(find({}, 'tools/todos.mjs')).toBeNull();
    expect(findWeakenedEngine(null, ['tools/todos.mjs'])).toBeNull();
  });
});
