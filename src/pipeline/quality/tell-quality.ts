import type { CheckAnnotation } from '../../core/model/check-run.ts';
import { QUALITY_CHECK_NAME } from '../../core/model/quality-check-name.ts';
import type { QualityRun } from '../../core/model/quality-run.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { QualityText } from '../../core/render/render-quality.ts';
import { MAX_ANNOTATIONS } from '../../core/render/to-quality-annotations.ts';
import type { CheckRunContent } from '../../ports/github.ts';
import type { QualityReport } from '../../ports/quality-store.ts';
import type { Deps } from '../deps.ts';

type TellDeps = Pick<Deps, 'github' | 'log' | 'store'>;

/** GitHub accepts at most 50 annotations per request. */
const BATCH = 50;

/** Check run content. Each run has its own check run: annotations cannot be removed, and GitHub shows the newest run. */
export function toContent(
  { redact }: Pick<Deps, 'redact'>,
  run: Pick<QualityRun, 'id' | 'headSha' | 'key'>,
  text: QualityText,
): CheckRunContent {
  return {
    name: QUALITY_CHECK_NAME,
    headSha: run.headSha,
    externalId: `${run.key}:${run.id}`,
    status: text.status,
    conclusion: text.conclusion,
    title: redact(text.title),
    summary: redact(text.summary),
    actions: text.actions,
  };
}

/** The report of a run that has ended. */
export function toReport(
  deps: Pick<Deps, 'redact'>,
  run: Pick<QualityRun, 'id' | 'headSha' | 'key'>,
  text: QualityText,
  annotations: readonly CheckAnnotation[] = [],
): QualityReport {
  return {
    content: toContent(deps, run, text),
    annotations: annotations.map(({ title, ...annotation }) => ({
      ...annotation,
      ...(title === undefined ? {} : { title: deps.redact(title) }),
      message: deps.redact(annotation.message),
    })),
  };
}

/**
 * Sends the report of a run to GitHub, with annotations in batches, and settles it. When repeated after an interruption, it skips
 * annotations that have arrived, because GitHub appends what it receives.
 */
export async function tellQuality(
  deps: TellDeps,
  workspace: Workspace,
  given: { readonly run: Pick<QualityRun, 'id' | 'checkRunId'>; readonly isRepeated: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { run, isRepeated } = given;
  const report = deps.store.qualityReport(run.id);
  if (report === null) return;
  const { repository } = workspace;
  const checkRunId = run.checkRunId ?? (await deps.github.createCheckRun(repository, report.content, signal));
  deps.store.nameQualityCheck(run.id, checkRunId);
  const check = { source: 'check_run', id: checkRunId, appId: deps.github.appId } as const;
  const mayBeSent = isRepeated && report.annotations.length > 0;
  const sent = mayBeSent ? await deps.github.readAnnotations(repository, check, MAX_ANNOTATIONS, signal) : [];
  for (const annotations of toBatches(report.annotations.slice(sent.length))) {
    await deps.github.updateCheckRun(repository, checkRunId, { ...report.content, annotations }, signal);
  }
  deps.store.settleQualityReport(run.id);
  const { conclusion, title, headSha } = report.content;
  deps.log.info({ key: workspace.key, runId: run.id, headSha, checkRunId, conclusion, title }, 'engines told of');
}

/** At least one batch, because the text must be sent even without annotations. */
function toBatches(annotations: readonly CheckAnnotation[]): readonly (readonly CheckAnnotation[])[] {
  const count = Math.max(1, Math.ceil(annotations.length / BATCH));
  return Array.from({ length: count }, (_, index) => annotations.slice(index * BATCH, (index + 1) * BATCH));
}
