import { summarizeRuns } from '../engines/summarize-runs.ts';
import type { QualityStory } from '../quality/quality-story.ts';
import { toByteLength } from '../text/cut-bytes.ts';
import type { CheckStory } from './check-story.ts';
import { toCheckJson } from './to-check-json.ts';

/** Maximum length of a report, in bytes of UTF-8. */
export const MAX_QUALITY_JSON_BYTES = 5 * 1024 * 1024;

/** Maximum length of each list and of each text. */
interface CutLimits {
  readonly items: number;
  readonly characters: number;
}

/** Tried in this order if the whole document is too long. The last one always fits. */
const CUT_LIMITS: readonly CutLimits[] = [
  { items: 10_000, characters: 10_000 },
  { items: 1_000, characters: 2_000 },
  { items: 100, characters: 500 },
];
const SMALLEST_LIMITS: CutLimits = { items: 10, characters: 200 };

/**
 * The report of a run as the document of `ratchet check --json --base`, in at most `maxBytes`. In a document that is
 * too long, lists and texts are cut to the limits in its key `cut`. Each text is redacted separately, so that redaction
 * cannot break the JSON.
 */
export function toQualityJson(
  story: QualityStory,
  redact: (text: string) => string,
  maxBytes = MAX_QUALITY_JSON_BYTES,
): string {
  const { report } = story;
  const document = toCheckJson(toCheckStory(story), summarizeRuns(report.runs, report.engineErrors));
  const clean = toCached(redact);
  const whole = toText(document, (value) => (typeof value === 'string' ? clean(value) : value));
  if (toByteLength(whole) <= maxBytes) return whole;
  const texts = CUT_LIMITS.values().map((limits) => toCutText(document, limits, clean));
  return texts.find((text) => toByteLength(text) <= maxBytes) ?? toCutText(document, SMALLEST_LIMITS, clean);
}

/** Suppressions are reported as findings, including the accepted ones. */
function toCheckStory(story: QualityStory): CheckStory {
  const { report, baseSha, comparisons, added, accepted, isPatchWhole, unlooked, changedConfigs } = story;
  if (baseSha === null) return { report, comparison: null };
  const suppressions = [...added, ...accepted.map(({ finding }) => finding)].filter(({ kind }) => {
    return kind === 'suppression';
  });
  const compared = {
    base: baseSha,
    engines: comparisons,
    suppressions,
    isPatchWhole,
    unlooked,
    changedConfigs,
    notes: [],
  };
  return { report, comparison: compared };
}

/** Redacts before cutting, because a cut secret is not recognised. */
function toCutText(
  document: Readonly<Record<string, unknown>>,
  limits: CutLimits,
  redact: (text: string) => string,
): string {
  return toText({ ...document, cut: limits }, (value) => {
    if (typeof value === 'string') return redact(value).slice(0, limits.characters).toWellFormed();
    return Array.isArray(value) ? value.slice(0, limits.items) : value;
  });
}

function toText(document: unknown, toPart: (value: unknown) => unknown): string {
  return `${JSON.stringify(document, (_key, value: unknown) => toPart(value))}\n`;
}

/** Caches redacted texts, because names of tools, rules and files occur thousands of times in a report. */
function toCached(redact: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const clean = known.get(text) ?? redact(text);
    known.set(text, clean);
    return clean;
  };
}
