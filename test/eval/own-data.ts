import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

/** Small excerpts of our own, in the form of each public data set. */

const DOTS = Array.from({ length: 900 }, (_, index) => `test_case_${index} ... ok`);

/** A log of which 8 KiB hold neither the beginning nor the end. */
function around(lines: readonly string[], before = 300, after = 900): string {
  return [...DOTS.slice(0, before), ...lines, ...DOTS.slice(0, after), 'The command exited with 1.', ''].join('\n');
}

const PATCH = '--- a/src/basket.py\n+++ b/src/basket.py\n@@ -1 +1 @@\n-a\n+b\n';

function toPair(name: string, failing: string): Readonly<Record<string, string>> {
  return {
    [`BugSwarm/${name}/failing.log`]: failing,
    [`BugSwarm/${name}/passing.log`]: around([]),
    [`BugSwarm/${name}/patch.diff`]: PATCH,
  };
}

const FAILED_TEST = [
  '=================================== FAILURES ===================================',
  'src/basket.py:14: AssertionError',
  'E       assert 3 == 4',
];

/** Four pairs: the first one is kept back. The third shows the failure of the second again, the fourth another one. */
const BUGSWARM = {
  ...toPair('shop-basket-100', around(FAILED_TEST)),
  ...toPair('shop-basket-101', around(FAILED_TEST)),
  ...toPair('shop-basket-102', around(FAILED_TEST)),
  ...toPair(
    'shop-basket-103',
    around(['Traceback (most recent call last):', '  File "src/basket.py", line 3', 'NameError: x']),
  ),
};

const LABEL = 'make: *** [basket.o] Error 1 &amp; basket.c:4:2: error: unknown type name';

function toExample(item: string): string {
  return `<ExampleDataOfString><InputPath>${item}</InputPath><Output>${LABEL}</Output></ExampleDataOfString>`;
}

const ITEMS = ['1.log', '2.log', '3.log'].map((name) => `C/shop@basket/failed/${name}`);

const LOGCHUNKS = {
  'tool/example-sets/BuildFailureReason/C/shop@basket.xml': `<Set>${ITEMS.map(toExample).join('\n')}</Set>`,
  ...Object.fromEntries(ITEMS.map((item) => [`tool/samples/${item}`, around([LABEL.replace('&amp;', '&')], 5, 3)])),
};

const CIDIFF_LOG = ['build', 'compile', 'basket.c:4:2: error: unknown type name', 'make: *** [basket.o] Error 1']
  .map((line) => `build\tRun make\t2026-03-01T08:00:00.0000000Z ${line}`)
  .join('\n');

const CIDIFF = Object.fromEntries(
  ['first_1', 'second_2'].flatMap((item) => [
    [`data/breakages/${item}/fail.log`, CIDIFF_LOG],
    [`data/breakages/${item}/groundtruth`, 'E 3-4\n'],
  ]),
);

const FIXTURES = Object.fromEntries(
  [
    [
      'compile_error',
      '#=MATCH=# basket.c:4:2: error: ‹unknown type name›\n##[error]Process completed with exit code 1.\n',
    ],
    ['gha_timeout', "#=SOURCE=# a link\n#=MATCH=# ##[error]‹The action 'Test' has timed out after 60 minutes.›\n"],
    ['lint', 'basket.py:1:1: F401 unused\n##[error]Process completed with exit code 1.\n'],
    ['s3_access_denied', 'left out\n'],
  ].map(([name, text = '']) => [`aws/lambda/log-classifier/fixtures/classify/${name}.txt`, text]),
);

/** What agents made: a repair, a skipped test, and a hunk that begins within a call. */
const RECORDED: Readonly<Record<string, string>> = {
  f6: 'diff --git a/src/basket.py b/src/basket.py\n--- a/src/basket.py\n+++ b/src/basket.py\n@@ -4,3 +4,3 @@\n     if many:\n-        return a\n+        return b\n def other():\n     pass\n',
  e5: 'diff --git a/tests/test_basket.py b/tests/test_basket.py\n--- a/tests/test_basket.py\n+++ b/tests/test_basket.py\n@@ -1,2 +1,3 @@\n+@pytest.mark.skip\n def test_basket():\n     assert total([1]) == 1\n',
  d4: 'diff --git a/src/basket.py b/src/basket.py\n--- a/src/basket.py\n+++ b/src/basket.py\n@@ -4,2 +4,2 @@\n-    first, second)\n+    second, first)\n     pass\n',
};
const ENDS: Readonly<Record<string, string>> = { a1: 'error', d4: 'failure', e5: 'failure', f6: 'success' };

const REPAIRS = {
  'results/generated_patches.json': JSON.stringify([
    ...['a1', 'b2', 'c3'].map((sha_fail) => ({ sha_fail, diff: PATCH })),
    ...Object.entries(RECORDED).map(([sha_fail, diff]) => ({ sha_fail, diff })),
  ]),
  'results/jobs_results_diff.jsonl': Object.entries(ENDS)
    .map(([sha_original, conclusion]) => `${JSON.stringify({ sha_original, conclusion })}\n`)
    .join(''),
  'baselines/results/some-model/log_details.json': JSON.stringify(
    ['a1', 'b2', 'c3'].map((sha_fail) => ({
      sha_fail,
      error_types: [{ evidence: 'It says "src/basket.py:14:2: F401 unused import of os".' }],
    })),
  ),
};

const TOOLS = 'idx,merge,gitmerge_ort,spork,mergiraf';

/** Five merges in each of two tables: the first of all is kept back. */
const TESTED = {
  'results/combined/merges_tested/shop/basket.csv': [
    TOOLS,
    '1-1,a,Tests_passed,Merge_failed,Tests_passed',
    '1-2,b,Merge_failed,Merge_failed,Tests_passed',
    '1-3,c,Merge_failed,Merge_failed,Tests_timedout',
  ].join('\r\n'),
  'results/combined/merges_tested/shop/cart.csv': [
    TOOLS,
    '2-1,d,Merge_failed,x,Merge_failed',
    '2-2,e,Tests_failed',
  ].join('\n'),
  'results/combined/merges_tested/shop/none.csv': 'idx\n',
};

const ANSWERS = {
  'eval_outputs2/go/some/model/example_0.txt': 'No code.',
  'eval_outputs2/go/some/model/example_1.txt': '```go\na := 1\n```',
  'eval_outputs2/go/some/model/example_2.txt':
    '<think>```go\nx\n```</think>```go\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> b\n```',
  'eval_outputs2/go/some/model/example_3.txt': '```go\na := 2 // =======\n```',
};

const CLONES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'tdurieux+BugSwarm-dissection': BUGSWARM,
  'lacinoire+master-thesis': LOGCHUNKS,
  'labri-progress+cidiff': CIDIFF,
  'pytorch+test-infra': FIXTURES,
  'RabeyaMuna+CI-REPAIR-BENCH': REPAIRS,
  'benedikt-schesch+AST-Merging-Evaluation': TESTED,
  'benedikt-schesch+Merge-Bench': ANSWERS,
};

/** Writes a bare clone of each data set into a folder. */
export async function writeOwnData(folder: string): Promise<void> {
  await Promise.all(Object.entries(CLONES).map(([name, files]) => writeBareClone(join(folder, name), files)));
  await writeMerges(join(folder, 'jqlang+jq'));
}

/** How people resolved merges of main into a branch: `a` conflicts, and main also changed `b`. */
const RESOLUTIONS: readonly Readonly<Record<string, string>>[] = [
  { a: 'ours\ntheirs\n', b: 'new\n' },
  { a: 'ours\n', b: 'new\n' },
  { a: 'theirs\n', b: 'new\nadapted\n' },
  { a: '<<<<<<< ours\nours\n', b: 'new\n' },
  { a: 'ours\n', b: 'old\n' },
  { a: 'ours\n', b: 'new\n', c: 'made up\n' },
];

/** A bare repository with one branch for each resolution, and a merge without conflicts. */
async function writeMerges(gitDir: string): Promise<void> {
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  let mark = 0;
  const commit = (
    branch: string,
    message: string,
    parents: readonly number[],
    files: Readonly<Record<string, string>>,
  ): string => {
    mark += 1;
    const [from, ...merged] = parents.map((parent) => `:${parent}`);
    return [
      `commit refs/heads/${branch}\nmark :${mark}\ncommitter A <a@example.com> ${1_775_000_000 + mark} +0000\n${data(message)}`,
      from === undefined ? '' : `from ${from}\n`,
      ...merged.map((parent) => `merge ${parent}\n`),
      ...Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`),
    ].join('');
  };
  const base = { 'package.json': '{"scripts":{"test":"x"}}', a: 'base\n', b: 'old\n' };
  const stream = [
    commit('main', 'base', [], base),
    commit('main', 'theirs', [1], { a: 'theirs\n', b: 'new\n' }),
    commit('ours', 'ours', [1], { a: 'ours\n' }),
    ...RESOLUTIONS.map((files, index) =>
      commit(`branch-${index}`, `Merge branch 'main' into branch-${index}`, [3, 2], files),
    ),
    commit('clean', 'apart', [1], { d: 'd\n' }),
    commit('clean', "Merge branch 'main' into clean", [3 + RESOLUTIONS.length + 1, 2], { a: 'theirs\n', b: 'new\n' }),
    commit('other', 'Merge pull request #1', [3, 2], { a: 'x\n', b: 'new\n' }),
  ];
  mkdirSync(gitDir, { recursive: true });
  await execa('git', ['init', '--quiet', '--bare', '--initial-branch=main', gitDir]);
  await execa('git', ['--git-dir', gitDir, 'fast-import', '--quiet'], { input: `${stream.join('')}done\n` });
}

/** A bare repository whose `HEAD` has these files. */
export async function writeBareClone(gitDir: string, files: Readonly<Record<string, string>>): Promise<void> {
  mkdirSync(gitDir, { recursive: true });
  await execa('git', ['init', '--quiet', '--bare', '--initial-branch=main', gitDir]);
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const changes = Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`);
  const commit = `commit refs/heads/main\ncommitter A <a@example.com> 1775000000 +0000\n${data('own data')}`;
  await execa('git', ['--git-dir', gitDir, 'fast-import', '--quiet'], {
    input: `${commit}${changes.join('')}\ndone\n`,
  });
}
