import { appendFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { summarizeRuns } from '../core/engines/summarize-runs.ts';
import { assertNever, toError } from '../core/model/errors.ts';
import type { CheckStory } from '../core/render/check-story.ts';
import { concludeCheck } from '../core/render/conclude-check.ts';
import { renderCheckAnnotations, renderProblemAnnotations } from '../core/render/render-check-annotations.ts';
import { type Paint, renderCheckReport } from '../core/render/render-check-report.ts';
import { renderCheckSummary } from '../core/render/render-check-summary.ts';
import { toCheckJson } from '../core/render/to-check-json.ts';
import { toCheckSarif, toFailedSarif } from '../core/render/to-check-sarif.ts';
import { toInertLog } from '../core/render/workflow-commands.ts';
import type { CheckFormat } from './check-args.ts';
import { type CliResult, toJsonLine } from './cli-result.ts';

/** What the output depends on beside the story. */
export interface CheckPresentation {
  readonly format: CheckFormat;
  readonly paint: Paint;
  /** Version of Ratchet. */
  readonly version: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** The output of a check that has a report. In the format `github` the summary of the step is written too. */
export async function presentCheck(
  story: CheckStory,
  { format, paint, version, variables }: CheckPresentation,
): Promise<CliResult> {
  const exitCode = concludeCheck(story);
  const { report } = story;
  switch (format) {
    case 'text':
      return { exitCode, stdout: renderCheckReport(story, paint), stderr: '' };
    case 'json': {
      const summary = summarizeRuns(report.runs, report.engineErrors);
      return { exitCode, stdout: toJsonLine(toCheckJson(story, summary)), stderr: '' };
    }
    case 'sarif':
      return { exitCode, stdout: toJsonLine(toCheckSarif(story, version)), stderr: '' };
    case 'github': {
      const annotations = renderCheckAnnotations(story, toFolder(report.root, variables['GITHUB_WORKSPACE']));
      const stdout = `${annotations}${toInertLog(renderCheckReport(story, paint))}`;
      return { exitCode, stdout, stderr: await writeSummary(story, variables['GITHUB_STEP_SUMMARY'] ?? '') };
    }
    default:
      return assertNever(format);
  }
}

/**
 * The output where there is no report. Where stdout is for a program, it holds a document that says so, which cannot be
 * taken for a clean report.
 */
export function presentFailure(
  exitCode: 2 | 3,
  problems: readonly string[],
  { format, version }: Pick<CheckPresentation, 'format' | 'version'>,
): CliResult {
  const lines = problems.map((problem) => `ratchet: check: ${problem}\n`).join('');
  switch (format) {
    case 'text':
      return { exitCode, stdout: '', stderr: lines };
    case 'json':
      return { exitCode, stdout: toJsonLine({ schemaVersion: 1, error: { exitCode, problems } }), stderr: lines };
    case 'sarif':
      return { exitCode, stdout: toJsonLine(toFailedSarif({ exitCode, problems, version })), stderr: lines };
    case 'github':
      return { exitCode, stdout: renderProblemAnnotations(problems), stderr: toInertLog(lines) };
    default:
      return assertNever(format);
  }
}

/** GitHub takes the paths of annotations from its workspace; the checkout may be a folder of it. */
function toFolder(root: string, workspace = ''): string {
  const folder = workspace === '' ? '' : relative(workspace, root);
  return folder === '' || folder.startsWith('..') ? '.' : folder;
}

/** Returns what people should know where the summary cannot be written: the check itself is done. */
async function writeSummary(story: CheckStory, path: string): Promise<string> {
  if (path === '') return '';
  try {
    await appendFile(path, renderCheckSummary(story));
    return '';
  } catch (error) {
    return `ratchet: check: the summary of the step cannot be written: ${toInertLog(toError(error).message)}\n`;
  }
}
