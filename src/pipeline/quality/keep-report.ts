import { toError } from '../../core/model/errors.ts';
import type { RunId } from '../../core/model/ids.ts';
import type { QualityStory } from '../../core/quality/quality-story.ts';
import { toQualityJson } from '../../core/render/to-quality-json.ts';
import type { Deps } from '../deps.ts';

/** Name of the report among the artifacts of its run. */
export const REPORT_FILE = 'quality.json';

/**
 * Writes the complete report as an artifact, for people and scripts; the check run shows only what fits. If writing fails, this is
 * logged and the result stays valid.
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
