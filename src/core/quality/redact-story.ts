import type { EngineComparison, EnginesReport } from '../model/engine-report.ts';
import type { Finding } from '../model/finding.ts';
import type { QualityStory } from './quality-story.ts';

/**
 * Redacts all prose of the story, before any of it is cut, because half a secret is not recognised (T54). Paths stay as they are,
 * because GitHub needs them; the text rendered from the story is redacted once more.
 */
export function redactStory(story: QualityStory, redact: (text: string) => string): QualityStory {
  const { report, comparisons, added, accepted, setup, setupProblem } = story;
  const toClean = (finding: Finding): Finding => redactFinding(finding, redact);
  return {
    ...story,
    report: redactReport(report, redact),
    comparisons: comparisons.map((comparison) => redactComparison(comparison, redact)),
    added: added.map(toClean),
    accepted: accepted.map(({ finding, author, reason }) => ({
      finding: toClean(finding),
      author,
      reason: redact(reason),
    })),
    setupProblem: setupProblem === null ? null : redact(setupProblem),
    setup: setup === null ? null : { ...setup, notes: setup.notes.map(redact) },
  };
}

function redactFinding(finding: Finding, redact: (text: string) => string): Finding {
  const { rule, message } = finding;
  return { ...finding, rule: rule === null ? null : redact(rule), message: redact(message) };
}

function redactReport(report: EnginesReport, redact: (text: string) => string): EnginesReport {
  return {
    ...report,
    runs: report.runs.map((run) => {
      const { incompleteWhy } = run;
      return { ...run, incompleteWhy: incompleteWhy === null ? null : redact(incompleteWhy) };
    }),
    engineErrors: report.engineErrors.map((error) => ({
      ...error,
      message: redact(error.message),
      argv: error.argv.map(redact),
      stderr: redact(error.stderr),
    })),
    configErrors: report.configErrors.map((error) => ({ ...error, message: redact(error.message) })),
  };
}

function redactComparison(comparison: EngineComparison, redact: (text: string) => string): EngineComparison {
  return comparison.kind === 'compared' ? comparison : { ...comparison, why: redact(comparison.why) };
}
