import { describe, expect, it } from 'vitest';
import { planEngines } from '../../src/core/engines/plan-engines.ts';
import { DEFAULT_ENGINE_SETTINGS } from '../../src/core/model/default-policy.ts';
import type { EngineSpec } from '../../src/core/model/engine.ts';
import type { DeclaredEngine, EngineSettings, EnginesPolicy } from '../../src/core/model/policy.ts';
import { toDeclaredSpec } from '../../src/engines/generic/to-declared-spec.ts';
import { settleEngines } from '../../src/engines/settle-engines.ts';

const DECLARED: DeclaredEngine = {
  command: ['./own'],
  format: 'jsonl',
  kind: 'lint',
  globs: ['**/*'],
  targets: 'project',
  from: 'stdout',
  matcher: null,
  matcherText: null,
  fix: null,
  emptyMeansClean: false,
};
/** Entries as a catalogue has them; what they run does not matter here. */
const CATALOGUE: readonly EngineSpec[] = ['eslint', 'mypy', 'tsc'].map((id) => toDeclaredSpec(id, DECLARED));

function settle(
  engines: Readonly<Record<string, Partial<EngineSettings>>> | null,
  set: { auto?: boolean; detected?: readonly string[] } = {},
) {
  const full = Object.entries(engines ?? {}).map(
    ([id, given]) => [id, { ...DEFAULT_ENGINE_SETTINGS, ...given }] as const,
  );
  const policy: EnginesPolicy = { auto: set.auto ?? false, failLevel: 'medium', engines: Object.fromEntries(full) };
  return settleEngines({
    policy: engines === null ? null : policy,
    catalogue: CATALOGUE,
    detected: set.detected ?? [],
  });
}

function idsOf(settled: ReturnType<typeof settle>): readonly string[] {
  return settled.specs.map(({ id }) => id);
}

describe('settleEngines', () => {
  it('takes what the repository shows to use where nobody says anything', () => {
    const settled = settle(null, { detected: ['tsc', 'eslint'] });

    expect(idsOf(settled)).toEqual(['eslint', 'tsc']);
    expect(settled.settings).toEqual({ eslint: DEFAULT_ENGINE_SETTINGS, tsc: DEFAULT_ENGINE_SETTINGS });
    expect(settled.configErrors).toEqual([]);
  });

  it('takes only what is named, or also what the repository shows to use', () => {
    expect(idsOf(settle({ tsc: {} }, { detected: ['eslint'] }))).toEqual(['tsc']);
    expect(idsOf(settle({ tsc: {} }, { auto: true, detected: ['eslint', 'tsc'] }))).toEqual(['eslint', 'tsc']);
    expect(idsOf(settle({}, { detected: ['eslint'] }))).toEqual([]);
  });

  it('gives each engine its own settings', () => {
    const { settings } = settle(
      { tsc: { required: true, timeoutSeconds: 5 } },
      { auto: true, detected: ['eslint', 'tsc'] },
    );

    expect(settings).toEqual({
      eslint: DEFAULT_ENGINE_SETTINGS,
      tsc: { ...DEFAULT_ENGINE_SETTINGS, required: true, timeoutSeconds: 5 },
    });
  });

  it('keeps one that is switched off, so that it is planned as skipped, even where the repository shows to use it', () => {
    const { specs, settings } = settle({ eslint: { enabled: false } }, { auto: true, detected: ['eslint'] });
    const planned = planEngines({
      specs,
      settings,
      request: 'target',
      scope: { cli: null, env: null },
      configs: { cli: {}, env: {} },
      files: ['a.js'],
      dependencies: 'ready',
    });

    expect(planned).toMatchObject({ toRun: [], skipped: [{ engine: 'eslint', why: 'disabled' }] });
  });

  it.each([
    ['eslnt', 'did you mean `eslint`?'],
    ['myp', 'did you mean `mypy`?'],
    ['autos', 'did you mean `auto`?'],
    ['hadolint', 'give it a `command` and a `format`'],
  ])('000.R26 000.R28 001.R13: refuses %s, a tool that nobody knows, and keeps the others', (id, hint) => {
    const settled = settle({ [id]: { required: true }, tsc: {} });

    expect(idsOf(settled)).toEqual(['tsc']);
    expect(settled.configErrors).toMatchObject([{ engine: id, code: 'UNKNOWN_ENGINE' }]);
    expect(settled.configErrors[0]?.message).toContain(hint);
    expect(settled.settings[id]?.required).toBe(true);
  });

  it('refuses a command in the name of a tool that is known', () => {
    const settled = settle({ eslint: { declared: DECLARED } });

    expect(idsOf(settled)).toEqual([]);
    expect(settled.configErrors).toMatchObject([{ engine: 'eslint', code: 'INVALID_SETTING' }]);
  });

  it("makes an engine of a repository's own command, with the command in its plan", () => {
    const { specs, settings, configErrors } = settle({ own: { declared: DECLARED, args: ['--x'] } });

    expect(configErrors).toEqual([]);
    expect(specs).toMatchObject([{ id: 'own', launchers: [{ kind: 'declared', argv: ['./own'] }] }]);
    expect(settings['own']?.args).toEqual(['./own', '--x']);
  });

  it('detects nothing that the catalogue does not have', () => {
    expect(idsOf(settle(null, { detected: ['other'] }))).toEqual([]);
  });

  it('takes no engine for one that every object has', () => {
    expect(settle({ constructor: {} }).configErrors).toMatchObject([{ engine: 'constructor', code: 'UNKNOWN_ENGINE' }]);
    expect(settle(null, { detected: ['constructor'] }).specs).toEqual([]);
  });
});
