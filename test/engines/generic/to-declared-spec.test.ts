import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createPlan } from '../../../src/core/engines/plan-hash.ts';
import { DEFAULT_ENGINE_SETTINGS } from '../../../src/core/model/default-policy.ts';
import type { EnginePlan, GenericFormat } from '../../../src/core/model/engine.ts';
import type { DeclaredEngine, EngineSettings } from '../../../src/core/model/policy.ts';
import { toDeclaredSettings, toDeclaredSpec } from '../../../src/engines/generic/to-declared-spec.ts';
import { anInput } from './parse-input.ts';

function aDeclaration(set: Partial<DeclaredEngine> = {}): DeclaredEngine {
  return {
    command: ['./own', '--out={report}', '{targets}'],
    format: 'sarif',
    kind: 'lint',
    globs: ['**/*'],
    targets: 'files',
    from: 'file',
    matcher: null,
    matcherText: null,
    fix: null,
    emptyMeansClean: false,
    ...set,
  };
}

function aPlan(
  declared: DeclaredEngine,
  set: Partial<EnginePlan> = {},
  settings: Partial<EngineSettings> = {},
): EnginePlan {
  const { args, profile } = toDeclaredSettings({ ...DEFAULT_ENGINE_SETTINGS, ...settings }, declared);
  const targets = ['a.c', 'b.c'];
  const fixed = { engine: 'own', project: '.', configPath: null, enabled: true, env: {}, cwd: '.', excludes: [] };
  return createPlan('target', { ...fixed, targets, args, profile, ...set }, ['.']);
}

/** The command line that a run is made of. */
function argvOf(declared: DeclaredEngine, plan: EnginePlan, artifacts = '/out'): readonly string[] {
  const spec = toDeclaredSpec('own', declared);
  const [launcher] = spec.launchers;
  const steps = spec.toCommands({ plan, artifacts, root: '/repo', version: null, files: [] });
  if (launcher?.kind !== 'declared' || steps.length !== 1) throw new Error('not one step of a declared command');
  return [...launcher.argv, ...(steps[0] ?? [])];
}

describe('toDeclaredSpec', () => {
  it('replaces {targets} that stands alone by all targets, and {report} wherever it stands', () => {
    const declared = aDeclaration({
      command: ['./own', '--out={report}', '{report}', '-x{targets}', '{targets}', '--'],
    });

    expect(argvOf(declared, aPlan(declared))).toEqual([
      './own',
      '--out=/out/report.sarif',
      '/out/report.sarif',
      '-x{targets}',
      'a.c',
      'b.c',
      '--',
    ]);
  });

  it('puts further arguments at the end', () => {
    const declared = aDeclaration({ command: ['./own', '{targets}'] });

    expect(argvOf(declared, aPlan(declared, {}, { args: ['--more', '{report}'] }))).toEqual([
      './own',
      'a.c',
      'b.c',
      '--more',
      '/out/report.sarif',
    ]);
  });

  it('lets no name of a file be an option, a shell word or a placeholder', () => {
    const declared = aDeclaration({ command: ['./own', '{targets}'] });
    const targets = ['$(reboot)', '-rf', '{report}', 'a b;c'];

    expect(argvOf(declared, aPlan(declared, { targets }))).toEqual([
      './own',
      '$(reboot)',
      './-rf',
      '{report}',
      'a b;c',
    ]);
  });

  it('names targets from the folder that it runs in', () => {
    const declared = aDeclaration({ command: ['./own', '{targets}'] });

    expect(argvOf(declared, aPlan(declared, { targets: ['sub/a.c'], cwd: 'sub' }))).toEqual(['./own', 'a.c']);
  });

  it('000.R10: plans another command, format, stream or kind as another plan', () => {
    const hashes = [
      aDeclaration(),
      aDeclaration({ command: ['./other', '--out={report}', '{targets}'] }),
      aDeclaration({ command: ['./own', '{report}', '{targets}'] }),
      aDeclaration({ format: 'jsonl' }),
      aDeclaration({ from: 'stderr' }),
      aDeclaration({ kind: 'type' }),
    ].map((declared) => aPlan(declared).hash);

    expect(new Set(hashes).size).toBe(hashes.length);
    expect(aPlan(aDeclaration()).hash).toBe(hashes[0]);
    expect(aPlan(aDeclaration(), {}, { profile: 'p' }).hash).not.toBe(hashes[0]);
  });

  it.each<[GenericFormat, string, string]>([
    ['sarif', 'report.sarif', '{"version":"2.1.0","runs":[{"tool":{"driver":{}},"results":[]}]}'],
    ['junit', 'report.xml', '<testsuite/>'],
    ['jsonl', 'report.jsonl', '{"severity":"low","message":"m"}'],
    ['matcher', 'report.txt', 'x'],
    ['lcov', 'lcov.info', 'SF:a.js\nDA:1,1\nend_of_record\n'],
    ['istanbul', 'coverage-final.json', '{}'],
  ])('reads %s from %s', (...[format, name, text]) => {
    const matcherText = '{"problemMatcher":[{"owner":"o","pattern":[{"regexp":"(y)","message":1}]}]}';
    const { output, parse } = toDeclaredSpec('own', aDeclaration({ format, matcherText }));

    expect(output).toEqual({ from: 'file', reports: [name], emptyMeansClean: false });
    expect(parse(anInput(text))).toMatchObject({ kind: 'parsed' });
  });

  it.each(['jsonl', 'matcher'] as const)(
    'takes nothing at all in %s for clean only if the policy says so',
    (format) => {
      const [silent, clean] = [false, true].map((emptyMeansClean) =>
        toDeclaredSpec('own', aDeclaration({ format, emptyMeansClean, matcherText: null })),
      );

      expect([silent?.output.emptyMeansClean, clean?.output.emptyMeansClean]).toEqual([false, true]);
    },
  );

  it('gives findings the kind of the engine', () => {
    const { parse } = toDeclaredSpec('own', aDeclaration({ format: 'jsonl', kind: 'format' }));

    expect(parse(anInput('{"severity":"low","message":"m"}'))).toMatchObject({ findings: [{ kind: 'format' }] });
  });

  it('000.R17: assumes nothing of the tool: no meaning of its exit codes, no version, no cache, no configuration', () => {
    expect(toDeclaredSpec('own', aDeclaration())).toMatchObject({
      exitCodes: [{ versions: null, codes: { success: [], diagnostic: [], toolFailure: [] } }],
      ignoreExit: [],
      isFix: false,
      isCacheable: false,
      configFiles: [],
      env: {},
    });
  });

  it('takes the file of its problem matcher for its configuration, by its very name', () => {
    expect(toDeclaredSpec('own', aDeclaration({ format: 'matcher', matcher: 'a[1].json' })).configFiles).toEqual([
      String.raw`a\[1\].json`,
    ]);
  });
});

describe('a tool in another language', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  it.each([
    [
      'sh',
      ['sh', 'lint'],
      'report=$1; shift; for f; do printf \'{"path":"%s","line":1,"severity":"error","message":"no"}\\n\' "$f"; done > "$report"; exit 1',
    ],
    [
      'awk',
      ['awk', '-f', 'lint'],
      'BEGIN { for (i = 2; i < ARGC; i++) printf "{\\"path\\":\\"%s\\",\\"line\\":1,\\"severity\\":\\"error\\",\\"message\\":\\"no\\"}\\n", ARGV[i] > ARGV[1]; exit 1 }',
    ],
    [
      'perl',
      ['perl', 'lint'],
      'open my $o, ">", shift; print $o qq({"path":"$_","line":1,"severity":"error","message":"no"}\n) for @ARGV; close $o; exit 1',
    ],
  ])('000.R17 000.R20: may be one in %s: it is given arguments, and its report is read', (_language, program, text) => {
    const folder = mkdtempSync(join(tmpdir(), 'declared-'));
    folders.push(folder);
    writeFileSync(join(folder, 'lint'), text);
    const declared = aDeclaration({ command: [...program, '{report}', '{targets}'], format: 'jsonl' });
    const [file = '', ...args] = argvOf(declared, aPlan(declared, { targets: ['-a.c', 'b c.c'] }), folder);

    expect(() => execFileSync(file, args, { cwd: folder, timeout: 10_000 })).toThrow(/Command failed/u);
    const { output, parse } = toDeclaredSpec('own', declared);
    const report = readFileSync(join(folder, output.reports?.[0] ?? ''), 'utf8');

    expect(parse(anInput(report, { exitCode: 1 }))).toMatchObject({
      findings: [
        { path: '-a.c', line: 1 },
        { path: 'b c.c', line: 1 },
      ],
    });
  });
});
