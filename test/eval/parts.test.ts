import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { EXIT, parseWholeNumber, renderTable, toExitCode, toVerdict } from '../../bench/print-table.ts';
import { toBuildTool } from '../../eval/build-tool.ts';
import { toQuotes } from '../../eval/data/ci-repair.ts';
import { parseLabels } from '../../eval/data/logchunks.ts';
import { MADE_PAIRS } from '../../eval/data/made-pairs.ts';
import { findGitDir, openRepository } from '../../eval/data/open-repository.ts';
import { toComparableLine, withoutNumbers } from '../../eval/log-text.ts';
import { grepOf, headOf, tailOf } from '../../eval/peers.ts';
import { toMissKind } from '../../eval/recall.ts';
import { renderMisses } from '../../eval/render-misses.ts';
import { NotMeasuredError, toLine } from '../../eval/row.ts';
import { parseFixture } from '../../eval/rows/classes-log-classifier.ts';
import { toClass } from '../../eval/rows/classes-logchunks.ts';
import { toJobLog } from '../../eval/rows/classes-messages.ts';
import { findNamed, toPatchedNames } from '../../eval/rows/excerpt-bugswarm.ts';
import { parseRanges } from '../../eval/rows/excerpt-cidiff.ts';
import { sampleItems, selectPart } from '../../eval/select-items.ts';
import { writeBareClone } from './own-data.ts';

const folder = mkdtempSync(join(tmpdir(), 'ratchet-eval-parts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the result of a measurement', () => {
  it.each([
    { verdicts: [true, null], isMeasured: true, strict: true, code: EXIT.measured },
    { verdicts: [true, false], isMeasured: true, strict: false, code: EXIT.measured },
    { verdicts: [true, false], isMeasured: true, strict: true, code: EXIT.missed },
    { verdicts: [true], isMeasured: false, strict: true, code: EXIT.notMeasured },
    { verdicts: [false], isMeasured: false, strict: false, code: EXIT.notMeasured },
  ])('is an exit code: %j', ({ verdicts, isMeasured, strict, code }) => {
    expect(toExitCode(verdicts, isMeasured, strict)).toBe(code);
  });

  it('prints columns of equal width and a missed goal in capitals', () => {
    expect(
      renderTable(
        ['a', 'bb'],
        [
          ['long', toVerdict(false)],
          ['x', toVerdict(null)],
        ],
      ),
    ).toBe('a     bb\nlong  MISSED\nx');
  });

  it('takes whole numbers within their limits only', () => {
    expect(parseWholeNumber('7', 'runs', 5, 12)).toBe(7);
    for (const text of ['4', '13', '7.5', '', 'x'])
      expect(() => parseWholeNumber(text, 'runs', 5, 12)).toThrow('runs is');
  });

  it.each([
    [90, { atLeast: 90 }, true],
    [89.9, { atLeast: 90 }, false],
    [1, { atMost: 1 }, true],
    [1.04, { atMost: 1 }, false],
    [60, { asGoodAs: 'tail' }, true],
    [59, { asGoodAs: 'tail' }, false],
    [100, { asGoodAs: 'a peer that was not measured' }, false],
  ])('judges %d by %j', (ours, goal, met) => {
    expect(toLine({ row: 'r', data: 'd', ours, n: 3, peer: { tail: 60 }, goal }).met).toBe(met);
  });

  it('is no result without a case', () => {
    expect(() => toLine({ row: 'r', data: 'd', ours: Number.NaN, n: 0 })).toThrow(NotMeasuredError);
  });

  it('counts misses by kind, the most frequent first', () => {
    const misses = ['a', 'b', 'b'].map((kind, index) => ({ kind, item: `log ${index}`, text: 'x' }));
    expect(renderMisses(misses, 1)).toEqual(['2 of 3 misses: b', '  log 1 | x', '1 of 3 misses: a', '  log 0 | x']);
    expect(renderMisses(misses, 0)).toEqual([]);
  });
});

describe('the parts of a data set', () => {
  const items = Array.from({ length: 12 }, (_, index) => index);

  it('keeps back every item whose index is divisible by five', () => {
    expect(selectPart(items, 'held-out')).toEqual([0, 5, 10]);
    expect(selectPart(items, 'tuning')).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 11]);
    expect(selectPart(items, 'all')).toEqual(items);
    expect(sampleItems(items, 5)).toEqual([0, 5, 10]);
  });
});

describe('the peers', () => {
  it('shows what grep shows', () => {
    const text = [...Array(30).keys()].map((index) => (index % 13 === 6 ? `an Error ${index}` : `line ${index}`));
    const log = `${[...text, ...Array.from({ length: 40 }, () => 'quiet'), 'PANIC', 'end'].join('\n')}\n`;
    const file = join(folder, 'log');
    writeFileSync(file, log);
    const words = 'error|fail|fatal|exception|panic|traceback|assert';
    const grep = execFileSync('grep', ['-a', '-i', '-nE', '-B5', '-A20', words, file]).toString('utf8');
    expect(grepOf(Buffer.from(log)).toString('utf8')).toBe(grep);
    expect(headOf(Buffer.from('abcdef'), 2) + tailOf(Buffer.from('abcdef'), 3)).toBe('abdef');
  });
});

describe('what is compared', () => {
  it('ignores colours, timestamps and the width of blanks', () => {
    const line = '2026-03-01T08:00:00.1234567Z \u001B[31mError:\u001B[0m\t two   words[0m\r';
    expect(toComparableLine(line)).toBe('Error: two words');
    expect(toComparableLine('\u001B[?1h\u001B=\u001B[?1l\u001B>sums/add FAIL')).toBe('sums/add FAIL');
    // A label that begins within a code.
    expect(toComparableLine('=\u001B[?1l\u001B>sums/add FAIL')).toBe('sums/add FAIL');
    expect(withoutNumbers('took 12 s at a.c:3')).toBe('took # s at a.c:#');
  });

  it.each([
    ['[INFO] Scanning for projects...', 'maven'],
    ['> Task :app:test FAILED', 'gradle'],
    ['--- FAIL: TestA (0.00s)', 'go'],
    ['===== test session starts =====', 'pytest'],
    ['nothing known', 'other'],
  ])('names the build tool of "%s"', (log, tool) => {
    expect(toBuildTool(log)).toBe(tool);
  });

  it.each([
    ['--- FAIL: TestA (0.00s)', 'line of a failed test'],
    ['  at app.Main.run(Main.java:4)', 'stack frame'],
    ['src/a.c:3:1: warning', 'line with a place in a file'],
    ['it failed', 'line with a word of failure'],
    ['Couldn’t find it', 'line without a word of failure'],
  ])('tells the kind of a missing line: %s', (line, kind) => {
    expect(toMissKind(line)).toBe(kind);
  });
});

describe('the data sets', () => {
  it('finds the files that a patch touches, and of them those that only the failing log names', async () => {
    const patch =
      '--- a/src/one.py\n+++ b/src/one.py\n--- /dev/null\n+++ b/two.py\n--- a/c.h\n+++ b/c.h\n--- a/three.py\n+++ b/three.py\n';
    expect(toPatchedNames(patch)).toEqual(['one.py', 'two.py', 'three.py']);
    const named = await findNamed({
      patch: Buffer.from(patch),
      failing: Buffer.from('ok three.py 17\none.py:4: error\nend'),
      readPassing: async () => Buffer.from('ok three.py 9\nend'),
    });
    expect([...named]).toEqual([['one.py', 'one.py:4: error']]);
  });

  it('reads labels and their entities', () => {
    const xml =
      '<X><ExampleDataOfString><InputPath>C/a@b/1.log</InputPath><Output>a &lt;b&gt; &#x41;&#66; &amp;lt;</Output></ExampleDataOfString><ExampleDataOfString><InputPath>x</InputPath></ExampleDataOfString></X>';
    expect(parseLabels(xml)).toEqual([{ item: 'C/a@b/1.log', label: 'a <b> AB &lt;' }]);
  });

  it('reads ranges of lines, fixtures and quotes', () => {
    expect(parseRanges('E 12\n7-9\nnoise\n')).toEqual([
      [12, 12],
      [7, 9],
    ]);
    expect(parseFixture('#=SOURCE=# x\nfirst\n#=MATCH=# a ‹b›\n')).toEqual({ log: 'first\na b\n', cause: 'a b' });
    expect(toQuotes('says "src/basket.py:14:2: unused" and \'short\'')).toEqual(['src/basket.py:14:2: unused']);
  });

  it.each([
    ['curl: (6) Could not resolve host: x', 'outside'],
    ['AssertionError: expected 1', 'code'],
    ['FAIL: connection refused', null],
    ['nothing', null],
  ])('classifies the label "%s"', (label, expected) => {
    expect(toClass(label)).toBe(expected);
  });

  it('puts a message at the end of a job, with an exit line unless it ends the step by itself', () => {
    expect(toJobLog('make: *** Error 1').toString('utf8')).toContain('##[error]Process completed with exit code 1.');
    expect(toJobLog('##[error]The operation was canceled.').toString('utf8')).not.toContain('exit code 1');
  });

  it('has 57 pairs that differ in one thing each', () => {
    expect(MADE_PAIRS).toHaveLength(57);
    expect(MADE_PAIRS.filter(({ isSame }) => isSame)).toHaveLength(42);
    expect(new Set(MADE_PAIRS.map(({ what }) => what)).size).toBe(57);
    for (const { left, right } of MADE_PAIRS) expect(left).not.toEqual(right);
  });
});

describe('a clone', () => {
  it('is found bare or with files, and read without a checkout', async () => {
    await writeBareClone(join(folder, 'one', 'owner+name', 'repo'), { 'a/b.txt': 'text\n', 'c.txt': '' });
    expect(findGitDir(join(folder, 'one'), 'owner/other')).toBeNull();
    const gitDir = findGitDir(join(folder, 'one'), 'owner/name');
    expect(gitDir).toBe(join(folder, 'one', 'owner+name', 'repo'));
    const repository = openRepository(gitDir ?? '');
    expect((await repository.list('.')).map(({ path, bytes }) => [path, bytes])).toEqual([
      ['a/b.txt', 5],
      ['c.txt', 0],
    ]);
    const [entry] = await repository.list('a');
    expect((await repository.read({ id: entry?.id ?? '' }))?.toString('utf8')).toBe('text\n');
    expect(await repository.read({ id: '0'.repeat(40) })).toBeNull();
    await repository.close();
  });
});
