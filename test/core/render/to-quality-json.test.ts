import { describe, expect, it } from 'vitest';
import { summarizeRuns } from '../../../src/core/engines/summarize-runs.ts';
import type { QualityStory } from '../../../src/core/quality/quality-story.ts';
import { createRedactor } from '../../../src/core/redact/create-redactor.ts';
import { toCheckJson } from '../../../src/core/render/to-check-json.ts';
import { MAX_QUALITY_JSON_BYTES, toQualityJson } from '../../../src/core/render/to-quality-json.ts';
import { toByteLength } from '../../../src/core/text/cut-bytes.ts';
import { fakeSha } from '../../support/builders.ts';
import { aFinding, aReport, aRun } from '../../support/engine-stories.ts';
import { aPlan, aQualityStory } from '../../support/quality-stories.ts';

const asItIs = (text: string): string => text;

function storyOf(count: number, message = 'Unexpected var.'): QualityStory {
  const findings = Array.from({ length: count }, (_, nth) => aFinding({ line: nth + 1, message }));
  return aQualityStory({ report: aReport({ plans: [aPlan('eslint')], runs: [aRun({ findings })] }), added: findings });
}

describe('the JSON of a run on a pull request', () => {
  it('is the document of `ratchet check --json --base`, with the places where a check was switched off', () => {
    const added = aFinding({ kind: 'suppression', tool: 'ratchet', line: 1 });
    const accepted = aFinding({ kind: 'suppression', tool: 'ratchet', line: 2 });
    const story = aQualityStory({
      added: [aFinding(), added],
      accepted: [{ finding: accepted, author: 'ada', reason: 'so' }],
      isPatchWhole: false,
      changedConfigs: [{ engine: 'eslint', paths: ['eslint.config.js'] }],
    });
    const { report, comparisons, isPatchWhole, changedConfigs } = story;
    const suppressions = [added, accepted];
    const compared = { base: fakeSha('base'), engines: comparisons, suppressions, isPatchWhole, changedConfigs };
    const comparison = { ...compared, unlooked: [], notes: [] };

    expect(toQualityJson(story, asItIs)).toBe(
      `${JSON.stringify(toCheckJson({ report, comparison }, summarizeRuns(report.runs, [])))}\n`,
    );
  });

  it('has no comparison where there is nothing to compare with', () => {
    expect(JSON.parse(toQualityJson(aQualityStory({ baseSha: null }), asItIs))).not.toHaveProperty('comparison');
  });

  it('is redacted text by text: what is taken out leaves the document whole (T54)', () => {
    const begun = '-----BEGIN PRIVATE KEY-----\nMIIE';
    const story = aQualityStory({
      report: aReport({
        runs: [aRun({ argv: ['eslint', '--token=live-secret-0123'], findings: [aFinding({ message: begun })] })],
      }),
    });
    const text = toQualityJson(story, createRedactor(['live-secret-0123']));

    expect(text).not.toContain('live-secret-0123');
    expect(text).not.toContain('MIIE');
    expect(JSON.parse(text)).toMatchObject({
      runs: [{ argv: ['eslint', '--token=[redacted]'], cwd: '.' }],
      findings: [{ message: '[redacted]', path: 'src/a.ts' }],
    });
  });

  it('has room for 5 MiB', () => {
    const text = toQualityJson(storyOf(2, 'x'.repeat(2 * 1024 * 1024)), asItIs);

    expect(MAX_QUALITY_JSON_BYTES).toBe(5 * 1024 * 1024);
    expect(toByteLength(text)).toBeLessThanOrEqual(MAX_QUALITY_JSON_BYTES);
    expect(JSON.parse(text)).toMatchObject({
      cut: { items: 10_000, characters: 10_000 },
      findings: [{ message: 'x'.repeat(10_000) }, { line: 2 }],
    });
  });

  it('is cut only where it is longer than its limit, which counts bytes', () => {
    const story = storyOf(1, 'ä'.repeat(300));
    const whole = toQualityJson(story, asItIs);

    expect(toQualityJson(story, asItIs, toByteLength(whole))).toBe(whole);
    expect(JSON.parse(toQualityJson(story, asItIs, toByteLength(whole) - 1))).toHaveProperty('cut');
  });

  it.each([
    [400_000, 1_000, 2_000, 1_000],
    [60_000, 100, 500, 100],
    [10_000, 10, 200, 10],
  ])('in %i bytes has each list cut to %i and each text to %i, and says so', (maxBytes, items, characters, found) => {
    const text = toQualityJson(storyOf(1_500, 'é'.repeat(50)), asItIs, maxBytes);
    const document: unknown = JSON.parse(text);

    expect(document).toMatchObject({ schemaVersion: 1, cut: { items, characters } });
    expect(document).toHaveProperty('findings.length', found);
  });

  it('is redacted before it is cut: no half of a secret is left (T54)', () => {
    const secret = 'live-secret-0123456789';
    const story = storyOf(50, `${'x'.repeat(190)}${secret}`);
    const text = toQualityJson(story, createRedactor([secret]), 1_000);

    expect(text).toContain('[redacted');
    expect(text).not.toContain('live-secr');
  });
});
