import type { CheckAnnotation } from '../../core/model/check-run.ts';
import { QUALITY_CHECK_NAME } from '../../core/model/quality-check-name.ts';
import type { QualityRun } from '../../core/model/quality-run.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import type { QualityText } from '../../core/render/render-quality.ts';
import { MAX_ANNOTATIONS } from '../../core/render/to-quality-annotations.ts';
import type { CheckRunContent } from '../../ports/github.ts';
import type { QualityReport } from '../../ports/quality-store.ts';
import type { CheckRunIdentity } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';
import { sendCheckRun } from '../tell/send-check-run.ts';

type TellDeps = Pick<Deps, 'github' | 'log' | 'store'>;

/** GitHub accepts at most 50 annotations per request. */
const BATCH = 50;

/** The check run of a run of the engines. */
export function toCheckRun({ id, key, headSha }: Pick<QualityRun, 'id' | 'key' | 'headSha'>): CheckRunIdentity {
  return { key, headSha, name: QUALITY_CHECK_NAME, series: id };
}

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
  given: { readonly run: Pick<QualityRun, 'id' | 'key' | 'headSha'>; readonly isRepeated: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { run, isRepeated } = given;
  const report = deps.store.qualityReport(run.id);
  if (report === null) return;
  const send = (batch: readonly CheckAnnotation[]) => {
    const { content } = report;
    return sendCheckRun(deps, { workspace, series: run.id, content, batch, isUnseen: false }, signal);
  };
  const id = deps.store.checkRun(toCheckRun(run))?.checkRunId ?? (await send([]));
  const check = { source: 'check_run', id, appId: deps.github.appId } as const;
  const mayBeSent = isRepeated && report.annotations.length > 0;
  const sent = mayBeSent ? await deps.github.readAnnotations(workspace.repository, check, MAX_ANNOTATIONS, signal) : [];
  for (const batch of toBatches(report.annotations.slice(sent.length))) await send(batch);
  deps.store.settleQualityReport(run.id);
}

/** At least one batch, because the text must be sent even without annotations. */
function toBatches(annotations: readonly CheckAnnotation[]): readonly (readonly CheckAnnotation[])[] {
  const count = Math.max(1, Math.ceil(annotations.length / BATCH));
  return Array.from({ length: count }, (_, index) => annotations.slice(index * BATCH, (index + 1) * BATCH));
}
