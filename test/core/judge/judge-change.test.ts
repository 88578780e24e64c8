import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChangeToJudge, judgeChange } from '../../../src/core/judge/judge-change.ts';
import { isTestPath } from '../../../src/core/judge/test-paths.ts';
import { toDiffStat } from '../../../src/core/judge/to-diff-stat.ts';
import type { RejectCode } from '../../../src/core/model/session.ts';
import type { TreeChange } from '../../../src/core/model/tree-change.ts';
import { createPathMatcher, MAX_PATH_GLOB_LENGTH } from '../../../src/core/paths/path-globs.ts';
import { aChange, CHANGES_POLICY } from '../../support/builders.ts';
import { toCpuMs } from '../../support/cpu-time.ts';

function judge(changes: readonly TreeChange[], more: Partial<ChangeToJudge> = {}) {
  return judgeChange({ changes, patch: '', policy: CHANGES_POLICY, ...more });
}

function codes(changes: readonly TreeChange[], more: Partial<ChangeToJudge> = {}): readonly RejectCode[] {
  return judge(changes, more).map(({ code }) => code);
}

const added = (path: string, change: Partial<TreeChange> = {}): TreeChange =>
  aChange({ kind: 'added', path, oldMode: '000000', deletions: 0, ...change });
const deleted = (path: string): TreeChange =>
  aChange({ kind: 'deleted', path, newMode: '000000', insertions: 0, newBytes: 0 });

function patchOf(path: string, lines: readonly string[]): string {
  const oldCount = lines.filter((line) => !/^[+\\]/u.test(line)).length;
  const newCount = lines.filter((line) => !/^[-\\]/u.test(line)).length;
  const header = `diff --git a/${path} b/${path}\nindex 1..2 100644\n--- a/${path}\n+++ b/${path}`;
  return `${header}\n@@ -1,${oldCount} +1,${newCount} @@ context\n${lines.join('\n')}\n`;
}

describe('judgeChange', () => {
  it('lets an ordinary change pass', () => {
    expect(
      judge([aChange(), added('docs/ä.md'), deleted('src/old.ts')], { patch: patchOf('src/a.ts', ['-a', '+b']) }),
    ).toEqual([]);
  });

  it.each([
    ['nothing', []],
    ['modes only', [aChange({ newMode: '100755', insertions: 0, deletions: 0 })]],
  ])('refuses a change of %s', (_what, changes) => {
    expect(codes(changes)).toEqual(['NO_CHANGE']);
  });

  it('lets a mode change beside another change pass, and a binary file for a change', () => {
    expect(codes([aChange({ path: 'x', newMode: '100755', insertions: 0, deletions: 0 }), aChange()])).toEqual([]);
    expect(codes([aChange({ insertions: null, deletions: null })])).toEqual([]);
  });

  it.each([
    ['a submodule', added('sub', { newMode: '160000' })],
    ['a removed submodule', aChange({ kind: 'deleted', path: 'sub', oldMode: '160000', newMode: '000000' })],
    ['a new link', added('link', { newMode: '120000' })],
    ['a file that became a link', aChange({ kind: 'type_changed', newMode: '120000' })],
    ['a changed link', aChange({ oldMode: '120000', newMode: '120000' })],
    ['a set-user-id mode', added('x', { newMode: '104755' })],
    ['a name with a line break', added('a\nb')],
    ['a name with an escape', added('a\u001Bb')],
    ['a name with a line separator', added('a\u2028b')],
    ['a way out', added('../x')],
    ['a way out in the middle', added('a/../../x')],
    ['a way out of Windows', added('a\\..\\x')],
    ['a rooted name', added('/etc/passwd')],
    ['a git folder', added('a/.git/config')],
    ['a git folder in capitals', added('.GIT/hooks/pre-commit')],
    ['a git folder as Windows shortens it', added('GIT~1/config')],
    ['a git folder with a dot that Windows drops', added('.git./config')],
    ['a git folder as a stream', added('.git::$INDEX_ALLOCATION/config')],
    ['a git folder with a zero-width letter', added('.g\u200Cit/config')],
    ["a short name of git's modules", added('GITMOD~1')],
    ["a short name of git's attributes", added('a/gi7d29~1')],
    ['a device', added('src/CON')],
    ['a device with an extension', added('src/aux.ts')],
    ['a numbered device', added('com1.txt')],
    ['a character that Windows forbids', added('src/a?.ts')],
    ['a dot at the end', added('src/a.')],
    ['a name with a direction mark', added('src/a\u202Etxt.exe')],
    ['a name with a zero-width space', added('src/a\u200B.ts')],
  ])('refuses %s (T21, T25)', (_what, change) => {
    expect(codes([change])).toContain('UNSAFE_ENTRY');
  });

  it.each([
    ['HEAD', ['x/objects/1', 'x/refs/1']],
    ['config', ['x/HEAD', 'x/objects/1', 'x/refs/1']],
    ['objects/info/a', ['x/head', 'x/refs/heads/a']],
    ['hooks/post-checkout', ['x/HEAD', 'x/objects/1', 'x/refs/1']],
  ])('refuses %s where it makes the folder a bare repository', (name, headPaths) => {
    expect(judge([added(`x/${name}`)], { headPaths })).toEqual([
      { code: 'UNSAFE_ENTRY', paths: [`x/${name}`], message: `"x/${name}" makes its folder a bare repository.` },
    ]);
    expect(codes([added(`y/${name}`)], { headPaths })).toEqual([]);
    expect(codes([added(`x/${name}`)], { headPaths: headPaths.slice(1) })).toEqual([]);
  });

  it('lets names pass that Windows cannot have but the head has, and names that only begin so', () => {
    expect(codes([aChange({ path: 'src/aux.ts' }), aChange({ path: 'a\u200B.ts' })])).toEqual([]);
    expect(codes([added('src/console.ts'), added('pages/[...slug].tsx'), added('❤️.md')])).toEqual([]);
  });

  it('lets a removed link and an ordinary dot file pass', () => {
    expect(codes([aChange({ kind: 'deleted', oldMode: '120000', newMode: '000000' }), added('.gitignore')])).toEqual(
      [],
    );
  });

  it.each([
    ['by case', 'src/A.ts'],
    ['by composition', 'src/e\u0301.ts', 'src/\u00E9.ts'],
  ])('refuses names that collide %s', (_how, first, second = 'src/a.ts') => {
    expect(codes([added(first), added(second)])).toEqual(['UNSAFE_ENTRY']);
    expect(codes([added(first)], { headPaths: [second] })).toEqual(['UNSAFE_ENTRY']);
  });

  it('lets a rename by case pass, and a collision that was there before', () => {
    expect(codes([deleted('README'), added('readme')], { headPaths: ['README'] })).toEqual([]);
    expect(codes([aChange({ path: 'a' })], { headPaths: ['a', 'A'] })).toEqual([]);
  });

  it.each([
    '.github/workflows/ci.yml',
    '.GitHub/Workflows/ci.yml',
    '.github/actions/x/run.sh',
    '.github/ratchet.yml',
    'action.yml',
    'tools/x/action.yaml',
    'CODEOWNERS',
    'docs/codeowners',
    '.gitmodules',
    'a/.gitattributes',
    '.claude/settings.json',
    'pkg/.claude/hooks/x',
    '.mcp.json',
    '.codex/config.toml',
    'AGENTS.md',
    'claude.md',
    '.gemini/x',
    '.opencode/x',
    'opencode.json',
    '.cursor/rules/x',
    '.husky/pre-commit',
    '.npmrc',
    'a/.npmrc',
    'bunfig.toml',
    '.ripgreprc',
    '.circleci/config.yml',
    'package-lock.json',
    'app/yarn.lock',
    'CARGO.LOCK',
  ])('refuses a change of %s (T52)', (path) => {
    expect(codes([aChange({ path })])).toEqual(['PROTECTED_PATH']);
    expect(codes([deleted(path)])).toEqual(['PROTECTED_PATH']);
  });

  it('protects what the policy names, in any case', () => {
    const policy = { ...CHANGES_POLICY, protectedPaths: ['infra/'] };

    expect(codes([aChange({ path: 'Infra/main.tf' })], { policy })).toEqual(['PROTECTED_PATH']);
  });

  it('frees a lockfile only for a glob that names it', () => {
    const lockfile = [aChange({ path: 'app/package-lock.json' })];
    const allow = (...allowedPaths: string[]) => ({ policy: { ...CHANGES_POLICY, allowedPaths } });

    expect(codes(lockfile, allow('**'))).toEqual(['PROTECTED_PATH']);
    expect(codes(lockfile, allow('app/package-lock.json'))).toEqual([]);
    expect(codes(lockfile, allow('**/package-lock.json'))).toEqual([]);
    expect(codes(lockfile, allow('other/package-lock.json', 'app/'))).toEqual(['PROTECTED_PATH']);
  });

  it('keeps the change inside the allowed paths, whose case counts (001.R40, S13)', () => {
    const policy = { ...CHANGES_POLICY, allowedPaths: ['tests/', 'src'] };

    expect(codes([aChange({ path: 'src/a.ts' }), added('tests/x/.y')], { policy })).toEqual([]);
    expect(codes([aChange({ path: 'Src/a.ts' })], { policy })).toEqual(['PATH_NOT_ALLOWED']);
    expect(judge([aChange({ path: 'docs/a.md' })], { policy })[0]).toEqual({
      code: 'PATH_NOT_ALLOWED',
      paths: ['docs/a.md'],
      message: 'The change leaves the allowed paths: "docs/a.md".',
    });
  });

  const small = { ...CHANGES_POLICY, maxFiles: 2, maxLines: 10, maxBytes: 100 };
  it.each([
    ['files', [aChange({ path: 'a' }), aChange({ path: 'b' }), aChange({ path: 'c' })], {}],
    ['lines', [aChange({ insertions: 6, deletions: 5 })], {}],
    ['bytes of the diff', [aChange()], { patch: 'é'.repeat(51) }],
    ['bytes of a binary file', [aChange({ insertions: null, deletions: null, newBytes: 101 })], {}],
    ['what cannot be seen', [aChange()], { patchTruncated: true }],
  ])('refuses too many %s (001.R41, T53)', (_what, changes, more) => {
    expect(codes(changes, { policy: small, ...more })).toEqual(['DIFF_TOO_LARGE']);
  });

  it('lets a change at exactly the limits pass, and a small change of a big text file', () => {
    const changes = [
      aChange({ insertions: 5, deletions: 5, newBytes: 9_000_000 }),
      aChange({ path: 'b', insertions: 0, deletions: 0 }),
    ];

    expect(codes(changes, { policy: small, patch: 'x'.repeat(100) })).toEqual([]);
  });

  it.each([
    ['an opening mark', ['+<<<<<<< HEAD'], true],
    ['a closing mark', ['+>>>>>>> main'], true],
    ['a base mark', ['+||||||| base'], true],
    ['a bare mark', ['+<<<<<<<'], true],
    ['an underline', ['+Title', '+======='], false],
    ['a mark that was there', [' <<<<<<< HEAD', '+x'], false],
    ['a removed mark', ['-<<<<<<< HEAD', '+x'], false],
    ['marks of a custom size (L20)', ['+<<<<<<<<<<'], true],
    ['a line that goes on after its marks', ['+<<<<<<<<x'], false],
    ['six marks', ['+<<<<<< a'], false],
  ])('takes %s for a conflict: %s (T53)', (_what, lines, isConflict) => {
    expect(codes([aChange()], { patch: patchOf('src/a.ts', lines) })).toEqual(isConflict ? ['CONFLICT_MARKERS'] : []);
  });

  it.each([
    ['added', ['+version https://git-lfs.github.com/spec/v1', '+oid sha256:1']],
    ['edited', [' version https://git-lfs.github.com/spec/v1', '-oid sha256:1', '+oid sha256:2']],
  ])('refuses an %s LFS pointer (T22, trap 51)', (_what, lines) => {
    expect(judge([aChange()], { patch: patchOf('big.bin', lines) })).toEqual([
      { code: 'UNSAFE_ENTRY', paths: ['big.bin'], message: 'The change edits Git LFS pointers: "big.bin".' },
    ]);
  });

  it('tells everything in a fixed order, at most three names each', () => {
    const names = ['a', 'b', 'c', 'd'].map((name) => `tests/${name}`);
    const changes = names.map((path) => aChange({ path }));
    const patch = names.map((path) => patchOf(path, ['+<<<<<<< HEAD'])).join('');
    const violations = judge([...changes, added('.npmrc'), added('l', { newMode: '120000' })], {
      policy: { ...small, maxFiles: 1 },
      patch,
    });

    expect(violations.map(({ code }) => code)).toEqual([
      'UNSAFE_ENTRY',
      'PROTECTED_PATH',
      'DIFF_TOO_LARGE',
      'CONFLICT_MARKERS',
    ]);
    expect(violations.at(-1)?.message).toBe(
      'The change adds conflict markers: "tests/a", "tests/b", "tests/c" and 1 more.',
    );
  });
});

describe('createPathMatcher', () => {
  it.each([
    ['/', 'a', false],
    ['./src', 'src/a', true],
    ['!a', 'b', false],
    ['*.ts', 'a/b.ts', false],
    ['x'.repeat(MAX_PATH_GLOB_LENGTH + 1), 'x'.repeat(MAX_PATH_GLOB_LENGTH + 1), false],
  ])('matches %s against %s: %s', (glob, path, expected) => {
    expect(createPathMatcher([glob])(path)).toBe(expected);
  });
});

describe('isTestPath', () => {
  it.each([
    'a.test.ts',
    'a_test.go',
    'test_a.py',
    'ATest.java',
    'FooSpec.scala',
    'a-spec.js',
    'Tests/x',
    'src/__tests__/x.js',
  ])('takes %s for a test', (path) => {
    expect(isTestPath(path)).toBe(true);
  });

  it.each(['src/latest.ts', 'contest.py', 'src/attestation.ts', 'testing/x.ts', ''])(
    'does not take %s for one',
    (path) => {
      expect(isTestPath(path)).toBe(false);
    },
  );
});

describe('every judgement', () => {
  const anyChange = fc
    .record({
      kind: fc.constantFrom('added', 'deleted', 'modified'),
      path: fc.constantFrom('src/a.ts', 'src/b.ts', 'tests/a.py', '.npmrc', 'docs/x.md', 'SRC/A.ts'),
      newMode: fc.constantFrom('100644', '100644', '100755', '120000', '160000'),
      insertions: fc.option(fc.nat({ max: 8 }), { nil: null }),
      deletions: fc.nat({ max: 8 }),
      newBytes: fc.nat({ max: 80 }),
    })
    .map((change) => aChange(change.kind === 'deleted' ? { ...change, newMode: '000000' } : change));

  it('agrees with a simple oracle on random changes', () => {
    const policy = {
      ...CHANGES_POLICY,
      allowedPaths: ['src/', 'tests/', '.npmrc'],
      maxFiles: 3,
      maxLines: 20,
      maxBytes: 100,
    };
    fc.assert(
      fc.property(fc.uniqueArray(anyChange, { selector: ({ path }) => path, maxLength: 5 }), (changes) => {
        const found = new Set(codes(changes, { policy }));
        const { files, insertions, deletions } = toDiffStat(changes);
        const binaryBytes = changes.reduce(
          (sum, change) => sum + (change.insertions === null ? change.newBytes : 0),
          0,
        );

        expect(found.has('DIFF_TOO_LARGE')).toBe(files > 3 || insertions + deletions > 20 || binaryBytes > 100);
        expect(found.has('PROTECTED_PATH')).toBe(changes.some(({ path }) => path === '.npmrc'));
        expect(found.has('PATH_NOT_ALLOWED')).toBe(
          changes.some(({ path }) => path === 'docs/x.md' || path === 'SRC/A.ts'),
        );
        if (changes.some(({ newMode }) => newMode === '120000' || newMode === '160000'))
          expect(found).toContain('UNSAFE_ENTRY');
      }),
      { numRuns: 500 },
    );
  });
});

describe('a change of hundreds of thousands of files', () => {
  it('is refused by its number alone, in moments', () => {
    const changes = Array.from({ length: 300_000 }, (_, index) => added(`dir/some/file-${index}.ts`));
    let violations: ReturnType<typeof judge> = [];

    const cpuMs = toCpuMs(() => {
      violations = judge(changes, { patchTruncated: true });
    });

    expect(violations).toEqual([expect.objectContaining({ code: 'DIFF_TOO_LARGE', paths: [] })]);
    expect(violations[0]?.message).toContain('300000 files');
    // Every rule over every path took five seconds, in which the service answered nobody.
    expect(cpuMs).toBeLessThan(500);
  });
});
