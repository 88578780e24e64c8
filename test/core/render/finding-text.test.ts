import { describe, expect, it } from 'vitest';
import { toFindingText } from '../../../src/core/render/finding-text.ts';
import { renderCheckReport } from '../../../src/core/render/render-check-report.ts';
import { renderQuality } from '../../../src/core/render/render-quality.ts';
import { toQualityAnnotations } from '../../../src/core/render/to-quality-annotations.ts';
import { aCheckStory, aFinding, aRun } from '../../support/engine-stories.ts';
import { aQualityStory } from '../../support/quality-stories.ts';

const TEST = aFinding({ kind: 'test_failure', rule: null, testId: 'a.test.ts > adds', message: '1 is not 2' });
const PLACES = [
  { path: 'b.c', line: 2 },
  { path: 'c.c', line: null },
];

describe('the text of a finding', () => {
  it.each([
    ['of a test', TEST, 'a.test.ts > adds: 1 is not 2'],
    ['of a test whose message names it', { ...TEST, message: 'a.test.ts > adds failed' }, 'a.test.ts > adds failed'],
    ['of a file of tests', { ...TEST, testId: TEST.path }, '1 is not 2'],
    ['of no test', aFinding(), 'Unexpected var.'],
    ['with further places', aFinding({ otherPlaces: PLACES }), 'Unexpected var. (also at b.c:2, c.c)'],
    [
      'with many further places',
      aFinding({ otherPlaces: Array.from({ length: 22 }, () => ({ path: 'x', line: 1 })) }),
      `Unexpected var. (also at ${Array<string>(20).fill('x:1').join(', ')} and 2 more)`,
    ],
  ])('%s', (_what, finding, expected) => {
    expect(toFindingText(finding)).toBe(expected);
  });

  it('names the test at the terminal, on the pull request and in its annotations (E11)', () => {
    const story = aQualityStory({ added: [TEST] });
    const [annotation] = toQualityAnnotations(story, new Set([TEST.path ?? '']));

    expect(renderCheckReport(aCheckStory({ runs: [aRun({ findings: [TEST] })] }), (_, text) => text)).toContain(
      'a.test.ts > adds: 1 is not 2',
    );
    expect(renderQuality(story).summary).toMatch(/a\.test\.ts.* adds: 1 is not 2/u);
    expect(annotation?.message).toBe('a.test.ts > adds: 1 is not 2');
  });

  it('tells what was left out of a run', () => {
    const run = aRun({ notes: ['2 results lie outside of the repository and were left out'] });
    const { report } = aQualityStory();

    expect(renderCheckReport(aCheckStory({ runs: [run] }), (_, text) => text)).toContain('2 results lie outside');
    expect(renderQuality(aQualityStory({ report: { ...report, runs: [run] } })).summary).toContain(
      '2 results lie outside',
    );
  });
});
