import { toError } from '../../core/model/errors.ts';
import type { RunId } from '../../core/model/ids.ts';
import type { QualityStory } from '../../core/quality/quality-story.ts';
import { toQualityJson } from '../../core/render/to-quality-json.ts';
import type { Deps } from '../deps.ts';

/** Where a report lies among the artifacts of its run. */
export const REPORT_FILE = 'quality.json';

/**
 * Keeps the whole report of a run among its artifacts, for people and their scripts: the check run shows what fits. A disk that
 * takes no more is told of in the log; the result stands all the same.
 */
export async function keepReport(
  { files, log, redact }: Pick<Deps, 'files' | 'log' | 'redact'>,
  runId: RunId,
  story: QualityStory,
): Promise<void> {
  try {
    await files.writeArtifact(runId, REPORT_FILE, toQualityJson(story, redact));
  } catch (error) {
    log.warn({ runId, error: toError(error) }, 'report not kept');
  }
}
