import { describe, expect, it } from 'vitest';
import { redactStory } from '../../../src/core/quality/redact-story.ts';
import { aFinding, anEngineError, aReport, aRun } from '../../support/engine-stories.ts';
import { aQualityStory } from '../../support/quality-stories.ts';

const SECRET = 'hush';

function redact(text: string): string {
  return text.replaceAll(SECRET, '…');
}

describe('redactStory', () => {
  const ids = { fingerprint: 'f', likeness: 'l' };
  const finding = aFinding({ message: `a ${SECRET}`, rule: SECRET, path: 'src/a.ts', ...ids });
  const story = aQualityStory({
    report: aReport({
      runs: [aRun({ incompleteWhy: `it said ${SECRET}` }), aRun({ incompleteWhy: null })],
      engineErrors: [anEngineError({ message: SECRET, argv: ['x', SECRET], stderr: SECRET })],
      configErrors: [{ engine: 'eslint', code: 'EMPTY_SCOPE', message: SECRET }],
    }),
    comparisons: [
      ...aQualityStory().comparisons,
      { kind: 'not_comparable', engine: 'mypy', project: '.', why: SECRET, findings: [], existing: [] },
    ],
    added: [finding, aFinding({ rule: null })],
    accepted: [{ finding, author: 'ada', reason: SECRET }],
    setupProblem: SECRET,
    setup: { source: 'none', commands: [], isReused: false, notes: [SECRET] },
  });

  it('takes secrets out of all that is told in prose (T54)', () => {
    const clean = redactStory(story, redact);

    expect(JSON.stringify(clean)).not.toContain(SECRET);
    expect(JSON.parse(JSON.stringify(clean))).toEqual(JSON.parse(redact(JSON.stringify(story))));
  });

  it('leaves a story without secrets as it is', () => {
    const plain = aQualityStory({ added: [aFinding()], report: aReport({ runs: [aRun()] }) });

    expect(redactStory(plain, redact)).toEqual(plain);
  });
});
