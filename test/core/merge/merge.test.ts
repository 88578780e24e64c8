import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainScripts } from '../../../src/core/merge/explain-scripts.ts';
import { findNewWorkflows } from '../../../src/core/merge/find-new-workflows.ts';
import { findRegenerable } from '../../../src/core/merge/find-regenerable.ts';
import { findHopeless, findMadeUp, findTooMany, findUnresolvable } from '../../../src/core/merge/find-unresolvable.ts';
import { planSweep, type SweptPull } from '../../../src/core/merge/plan-sweep.ts';
import { DEFAULT_POLICY } from '../../../src/core/model/default-policy.ts';
import { toPullRequestKey } from '../../../src/core/model/ids.ts';
import { aChange, fakeSha } from '../../support/builders.ts';

const CI = '.github/workflows/ci.yml';
const OURS = fakeSha('ours');
const THEIRS = fakeSha('theirs');

describe('findNewWorkflows', () => {
  it.each([
    ['as the base has it', [aChange({ path: CI })], [], []],
    ['as neither side has it (S15, trap 49)', [aChange({ path: CI })], [aChange({ path: CI })], [CI]],
    ['as the head has it', [], [aChange({ path: CI })], []],
    ['no more', [aChange({ path: CI, kind: 'deleted' })], [aChange({ path: CI, kind: 'deleted' })], []],
    ['elsewhere', [aChange({ path: 'src/ci.yml' })], [aChange({ path: 'src/ci.yml' })], []],
    [
      'in another case, as a case-insensitive system finds it',
      [aChange({ path: '.GitHub/Workflows/x.yml' })],
      [aChange({ path: '.GitHub/Workflows/x.yml' })],
      ['.GitHub/Workflows/x.yml'],
    ],
  ])('of a merge that has a workflow file %s', (_what, fromHead, fromBase, expected) => {
    expect(findNewWorkflows(fromHead, fromBase)).toEqual(expected);
  });
});

describe('findRegenerable', () => {
  it('takes the first entry of the policy that matches, and leaves out what none does', () => {
    const entries = [
      { path: 'web/package-lock.json', command: 'first' },
      { path: '**/package-lock.json', command: 'second' },
    ];

    expect(
      findRegenerable(['web/package-lock.json', 'package-lock.json', 'src/a.ts'], { entries, tracked: null }),
    ).toEqual([
      { path: 'web/package-lock.json', command: 'first', isConnected: false },
      { path: 'package-lock.json', command: 'second', isConnected: false },
    ]);
  });

  const YARN = 'YARN_ENABLE_IMMUTABLE_INSTALLS=false';
  it.each<[string, readonly string[], RegExp | string | null]>([
    ['package-lock.json', [], 'npm install --package-lock-only --ignore-scripts'],
    ['web/npm-shrinkwrap.json', [], 'npm install --package-lock-only --ignore-scripts'],
    ['pnpm-lock.yaml', [], 'pnpm install --lockfile-only --no-frozen-lockfile --ignore-scripts'],
    ['Cargo.lock', [], 'cargo update --workspace'],
    ['go.sum', [], 'go mod tidy'],
    ['uv.lock', [], 'uv lock'],
    ['poetry.lock', [], /--no-update.*;;.*poetry lock --no-interaction ;;/u],
    ['yarn.lock', [], null],
    ['yarn.lock', ['.yarnrc.yml'], `${YARN} yarn install --mode=update-lockfile`],
    ['w/yarn.lock', ['.yarnrc.yml'], null],
    [
      'w/yarn.lock',
      ['w/.yarnrc.yml', 'w/.yarn/releases/yarn-4.1.0.cjs', 'w/.yarn/releases/readme.md'],
      `${YARN} node .yarn/releases/yarn-4.1.0.cjs install --mode=update-lockfile`,
    ],
    ['yarn.lock', ['.yarnrc.yml', '.yarn/releases/a.cjs', '.yarn/releases/b.cjs'], null],
    ['yarn.lock', ['.yarnrc.yml', '.yarn/releases/$(x).cjs'], null],
    ['composer.lock', [], null],
    ['constructor', [], null],
    ['src/a.ts', [], null],
  ])('detects what makes %s anew beside %j', (path, tracked, command) => {
    const [found] = findRegenerable([path], { entries: [], tracked });

    expect(found?.isConnected ?? null).toBe(command === null ? null : true);
    expect(found?.command ?? '').toMatch(command ?? /^$/u);
    expect(findRegenerable([path], { entries: [], tracked: null })).toEqual([]);
  });
});

describe('a name that is no UTF-8', () => {
  it('is never made anew: under the name that can be read it would be another file', () => {
    const entries = [{ path: '**/package-lock.json', command: 'npm' }];

    expect(findRegenerable(['d\uFFFD/package-lock.json', 'd/package-lock.json'], { entries, tracked: [] })).toEqual([
      { path: 'd/package-lock.json', command: 'npm', isConnected: false },
    ]);
    expect(findHopeless(['d\uFFFD/package-lock.json'], DEFAULT_POLICY.changes)?.code).toBe('UNSAFE_ENTRY');
  });
});

describe('findMadeUp', () => {
  it.each([
    [`foo~${OURS}`, true],
    [`dir/foo~${THEIRS}`, true],
    [`foo~${THEIRS}_1`, true],
    [`foo~${THEIRS}_12`, true],
    [`foo~${THEIRS}_`, false],
    [`foo~${THEIRS}x`, false],
    [`foo${THEIRS}`, false],
    [`foo~${fakeSha('other')}`, false],
    ['foo~HEAD', false],
    [`foo~${OURS}/a`, false],
  ])('of %j it is %s that git made the name up, for want of its place', (path, expected) => {
    expect(findMadeUp(['src/a.ts', path], [OURS, THEIRS])).toEqual(expected ? [path] : []);
  });
});

describe('findTooMany', () => {
  it('is at one file more than a change may touch', () => {
    const policy = { ...DEFAULT_POLICY.changes, maxFiles: 2 };

    expect(findTooMany(['a', 'b'], policy)).toBeNull();
    expect(findTooMany(['a', 'b', 'c'], policy)).toEqual({
      code: 'DIFF_TOO_LARGE',
      message: 'Conflicts in 3 files (at most 2).',
    });
  });
});

describe('findUnresolvable', () => {
  const { changes } = DEFAULT_POLICY;
  const plan = { kind: 'commands', commands: ['make check', './ci/run.sh'], source: 'policy' } as const;
  const text = (...paths: readonly string[]) => paths.map((path) => ({ path, isText: true }));

  it.each<[string, Parameters<typeof findUnresolvable>[0], string | undefined, string | undefined]>([
    ['source files', text('src/a.ts', 'package.json'), undefined, undefined],
    ['no files', [], undefined, undefined],
    ['a binary', [{ path: 'a.png', isText: false }], 'MERGE_NOT_RESOLVED', '"a.png"'],
    ['a lockfile', text('package-lock.json'), 'PROTECTED_PATH', '"package-lock.json"'],
    ['a workflow', text('src/a.ts', CI), 'PROTECTED_PATH', CI],
    ['a name that leaves its folder', text('a/../b'), 'UNSAFE_ENTRY', 'a/../b'],
    ['what the validation runs', text('Makefile'), 'PROTECTED_PATH', '"Makefile": it says what the validation runs'],
    ['a program that the validation names', text('ci/run.sh'), 'PROTECTED_PATH', 'the validation command names it'],
  ])('tells before an agent is spent whether one may resolve %s', (_what, files, code, message) => {
    const found = findUnresolvable(files, changes, plan);

    expect(found?.code).toBe(code);
    if (message !== undefined) expect(found?.message).toContain(message);
  });

  it('counts files against the policy, and names three of them', () => {
    const files = text('a', 'b', 'c', 'd', 'e');

    expect(findUnresolvable(files, { ...changes, maxFiles: 4 }, plan)).toEqual({
      code: 'DIFF_TOO_LARGE',
      message: 'Conflicts in 5 files (at most 4).',
    });
    expect(findUnresolvable(files, { ...changes, maxFiles: 5 }, plan)).toBeNull();
    const binaries = files.map(({ path }) => ({ path, isText: false }));
    expect(findUnresolvable(binaries, changes, plan)?.message).toBe(
      'Conflicts in files that are no plain text: "a", "b", "c" and 2 more.',
    );
    expect(findUnresolvable(binaries.slice(0, 3), changes, plan)?.message).toBe(
      'Conflicts in files that are no plain text: "a", "b", "c".',
    );
  });

  it('cuts long names', () => {
    const [long] = text('x'.repeat(500));

    const message = findUnresolvable([{ path: long?.path ?? '', isText: false }], changes, plan)?.message ?? '';

    expect(message).toContain(`"${'x'.repeat(120)}"`);
  });

  it('holds to the allowed paths', () => {
    const policy = { ...changes, allowedPaths: ['src/'] };

    expect(findUnresolvable(text('docs/a.md'), policy, plan)?.code).toBe('PATH_NOT_ALLOWED');
    expect(findUnresolvable(text('src/a.ts'), policy, plan)).toBeNull();
  });

  it('finds no hope in any of the paths, whatever their content: sizes and markers are for later', () => {
    expect(findHopeless(['src/a.ts'], { ...changes, maxFiles: 0, maxLines: 0, maxBytes: 0 })).toBeNull();
    expect(findHopeless(['tests/a.test.ts'], changes)).toBeNull();
    expect(findHopeless([CI], changes)?.paths).toEqual([CI]);
  });
});

describe('explainScripts', () => {
  const json = (scripts: Record<string, string> | null): string => JSON.stringify(scripts === null ? {} : { scripts });
  const file = (ours: string | null, theirs: string | null, result: string | null) => ({
    files: [{ path: 'package.json', base: null, ours, theirs, merged: null, result, isUnreadable: false }],
  });
  const before = { 'package.json': '<<<<<<<', 'web/package.json': '{}' };

  it.each<[string, readonly [ours: string | null, theirs: string, result: string], boolean]>([
    ['the same on both sides', [json({ test: 'a' }), json({ test: 'a' }), json({ test: 'a' })], true],
    ['taken from ours', [json({ test: 'a' }), json({ test: 'b' }), json({ test: 'a' })], true],
    ['taken from theirs', [json({ test: 'a' }), json({ test: 'b' }), json({ test: 'b' })], true],
    [
      'one from each',
      [json({ test: 'a', x: '1' }), json({ test: 'a', y: '2' }), json({ test: 'a', x: '1', y: '2' })],
      true,
    ],
    ['without one that a side lacks', [json({ test: 'a', x: '1' }), json({ test: 'a' }), json({ test: 'a' })], true],
    ['made up', [json({ test: 'a' }), json({ test: 'b' }), json({ test: 'true' })], false],
    ['without one that both have', [json({ test: 'a' }), json({ test: 'b' }), json(null)], false],
    ['added', [json({ test: 'a' }), json({ test: 'a' }), json({ test: 'a', pretest: 'x' })], false],
    ['taken from the only side', [null, json({ test: 'b' }), json({ test: 'b' })], true],
  ])('takes scripts for unchanged that are %s', (_what, [ours, theirs, result], isUnchanged) => {
    const explained = explainScripts(before, file(ours, theirs, result));

    expect(explained['package.json']).toBe(isUnchanged ? result : ours);
    expect(explained['web/package.json']).toBe('{}');
  });

  it('leaves what git made where there is nothing to put in its place', () => {
    expect(explainScripts(before, file(json({ test: 'a' }), null, null))).toEqual(before);
    expect(explainScripts(before, file(null, json({ test: 'a' }), json({ test: 'x' })))).toEqual(before);
  });

  it('is not fooled by names that objects have by themselves', () => {
    const explained = explainScripts({}, file('{"scripts":{}}', '{}', '{"scripts":{"constructor":"x"}}'));

    expect(explained['package.json']).toBe('{"scripts":{}}');
  });
});

describe('planSweep', () => {
  const NOW = 1_000_000;
  const SPREAD = 600_000;
  const pull = (number: number, probe: SweptPull['probe'], seenMerge: SweptPull['seenMerge'] = 'clean'): SweptPull => ({
    key: toPullRequestKey(7, number),
    seenMerge,
    probe,
  });
  const plan = (pulls: readonly SweptPull[], spreadMs = SPREAD) => planSweep(pulls, { now: NOW, spreadMs });

  it('looks first at what came into conflict, then at what git cannot tell about, then at the rest (trap 17)', () => {
    const looks = plan([
      pull(1, 'clean'),
      pull(2, 'clean', 'conflict'),
      pull(3, 'conflict'),
      pull(4, 'conflict', 'conflict'),
      pull(5, 'conflict', null),
      pull(6, 'conflict', 'behind'),
      pull(7, 'conflict', 'unknown'),
      pull(8, 'unknown', 'conflict'),
    ]);

    const inOrder = looks.map(({ key, news }) => `${key.split('#')[1] ?? ''}:${String(news)}`);
    expect(inOrder).toEqual([
      ...['3:conflict', '5:conflict', '6:conflict', '7:conflict', '2:clean', '8:null'],
      ...['1:null', '4:null'],
    ]);
  });

  it('keeps such looks three seconds apart on the average, and none before its place (trap 88)', () => {
    const looks = plan(Array.from({ length: 100 }, (_, index) => pull(index + 1, index < 50 ? 'conflict' : 'unknown')));

    for (const [index, { at }] of looks.entries()) {
      expect(at).toBeGreaterThanOrEqual(NOW + index * 3_000);
      expect(at).toBeLessThan(NOW + (index + 1) * 3_000);
    }
  });

  it('spreads the rest over the interval behind the news, with room for each', () => {
    const news = Array.from({ length: 10 }, (_, index) => pull(index + 1, 'conflict'));
    const rest = Array.from({ length: 150 }, (_, index) => pull(index + 100, 'clean'));

    const at = plan([...news, ...rest])
      .slice(10)
      .map((look) => look.at);

    expect(Math.min(...at)).toBeGreaterThanOrEqual(NOW + 30_000);
    expect(Math.max(...at)).toBeLessThan(NOW + 30_000 + SPREAD);
    expect(new Set(at.map((instant) => Math.floor((instant - NOW) / 60_000))).size).toBeGreaterThan(8);
    const crowded = plan(rest, 1_000).map((look) => look.at);
    expect(Math.max(...crowded)).toBeGreaterThan(NOW + 150_000);
    expect(Math.max(...crowded)).toBeLessThan(NOW + 450_000);
  });

  it('plans each pull request once, never in the past, and alike for alike (trap 90)', () => {
    const anyPull = fc.record({
      number: fc.integer({ min: 1, max: 10_000 }),
      probe: fc.constantFrom('clean', 'conflict', 'unknown'),
      seenMerge: fc.constantFrom('clean', 'conflict', 'behind', 'unknown', null),
    } as const);
    fc.assert(
      fc.property(fc.uniqueArray(anyPull, { selector: ({ number }) => number }), (pulls) => {
        const swept = pulls.map(({ number, probe, seenMerge }) => pull(number, probe, seenMerge));
        const looks = plan(swept);
        expect(looks.map(({ key }) => key).toSorted()).toEqual(swept.map(({ key }) => key).toSorted());
        expect(looks.every(({ at }) => at >= NOW)).toBe(true);
        expect(plan(swept)).toEqual(looks);
      }),
    );
  });

  it('gives nobody a place where there is nobody', () => {
    expect(plan([])).toEqual([]);
  });
});
