import { describe, expect, it } from 'vitest';
import type { SetupReport } from '../../../src/core/model/setup-report.ts';
import { renderFixup } from '../../../src/core/render/render-fixup.ts';
import { renderQuality } from '../../../src/core/render/render-quality.ts';
import { renderSetup } from '../../../src/core/render/render-setup.ts';
import { aStory } from '../../support/a-story.ts';
import { aRejection, aSession } from '../../support/builders.ts';
import { aQualityStory } from '../../support/quality-stories.ts';

const REPORT: SetupReport = { source: 'detected', commands: ['npm ci'], isReused: false, notes: [] };

describe('renderSetup', () => {
  it.each<[Partial<SetupReport>, readonly string[]]>([
    [{}, ['- Dependencies: `npm ci` (found by the lockfiles)']],
    [{ source: 'policy' }, ['- Dependencies: `npm ci` (`setup` of the policy)']],
    [{ isReused: true }, ['- Dependencies: `npm ci` (found by the lockfiles; what an earlier run prepared was used)']],
    [
      { commands: Array.from({ length: 12 }, () => 'a') },
      [`- Dependencies: ${Array.from({ length: 10 }, () => '`a`').join(', ')} and 2 more (found by the lockfiles)`],
    ],
    [{ source: 'none', commands: [] }, []],
    [{ source: 'none', commands: [], notes: ['One.', 'Two <b>.'] }, ['- One.', '- Two \\<b\\>.']],
    [
      { source: 'none', commands: [], notes: Array.from({ length: 11 }, () => 'x') },
      Array.from({ length: 10 }, () => '- x'),
    ],
  ])('says %j in lines', (change, lines) => {
    expect(renderSetup({ ...REPORT, ...change })).toEqual(lines);
  });

  it.each([
    ['an attempt', renderFixup(aSession(aRejection(), { setup: REPORT }), aStory())],
    ['the quality check', renderQuality(aQualityStory({ setup: REPORT })).summary],
  ])('is part of %s', (_where, text) => {
    expect(text).toContain('- Dependencies: `npm ci` (found by the lockfiles)');
  });
});
