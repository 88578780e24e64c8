import { CHECK } from '../commands/buttons.ts';
import type { CheckRunConclusion } from '../model/check-run.ts';
import { SEVERITIES } from '../model/finding.ts';
import type { Sha } from '../model/ids.ts';
import { concludeQuality, findUncertain, findUnfit } from '../quality/conclude-quality.ts';
import type { QualityStory } from '../quality/quality-story.ts';
import { cutBytes } from '../text/cut-bytes.ts';
import { toInlineCode, toPlainText } from '../text/escape.ts';
import { toCountText } from '../text/words.ts';
import { MAX_TITLE_LENGTH } from './limits.ts';
import { toParagraphs } from './markdown.ts';
import { type CheckText, MAX_SUMMARY_BYTES } from './render-check-run.ts';
import { renderEngines, renderFailures, renderSettings } from './render-quality-engines.ts';
import { renderAccepted, renderFindings, renderOverBudget } from './render-quality-findings.ts';
import { renderTests } from './render-quality-tests.ts';
import { renderSetup } from './render-setup.ts';

/** The content of the check run "Ratchet / quality". */
export type QualityText = CheckText<CheckRunConclusion>;

/** Why a run has no result. */
export type QualityStop =
  | { readonly kind: 'superseded'; readonly headSha: Sha | null }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'timed_out'; readonly limitMs: number }
  | { readonly kind: 'fork' }
  /** `why` is one or more sentences and may contain text by others. */
  | { readonly kind: 'not_possible'; readonly why: string };

const MAX_WHY_LENGTH = 1_000;

/** The result of a run: the verdict, then the engines, failures and findings. All text by others is escaped. */
export function renderQuality(story: QualityStory): QualityText {
  const parts = [
    renderGround(story),
    renderEngines(story),
    renderFailures(story),
    renderSettings(story),
    renderFindings(story),
    renderOverBudget(story),
    renderTests(story),
    renderAccepted(story),
  ];
  return complete(concludeQuality(story), toTitle(story), toParagraphs(parts));
}

/** The check run while the engines run. */
export function renderQualityStart(headSha: Sha): QualityText {
  const summary = `The engines of the policy run on ${toInlineCode(headSha)}.\n`;
  return { status: 'in_progress', conclusion: null, title: 'The engines run', summary, actions: [] };
}

/** The final text of a run without a result. */
export function renderQualityStop(stop: QualityStop): QualityText {
  switch (stop.kind) {
    case 'superseded': {
      const where = stop.headSha === null ? '' : ` Look at ${toInlineCode(stop.headSha)}.`;
      return complete('neutral', 'Superseded by a newer head', `The run was ended: the head is another one.${where}`);
    }
    case 'interrupted':
      // Not neutral: GitHub would accept it for a required check before the engines have run again.
      return complete('action_required', 'Interrupted', 'The service ended while the engines ran. They are run again.');
    case 'timed_out':
      return complete(
        'timed_out',
        'The engines did not end in time',
        `All of them together took more than ${String(Math.round(stop.limitMs / 60_000))} minutes. Nothing is known of this head.`,
      );
    case 'fork':
      return complete(
        'action_required',
        'No code of forks is run',
        'The head lies in a fork, and engines run code of the head (their configuration, tests). Push the branch to this repository to have them run.',
      );
    case 'not_possible':
      return complete('action_required', 'The engines could not be run', toPlainText(stop.why, MAX_WHY_LENGTH));
  }
}

function complete(conclusion: NonNullable<QualityText['conclusion']>, title: string, text: string): QualityText {
  return {
    status: 'completed',
    conclusion,
    title: title.slice(0, MAX_TITLE_LENGTH).toWellFormed(),
    summary: cutBytes(`${text}\n`, MAX_SUMMARY_BYTES),
    actions: [CHECK],
  };
}

/** `2 new findings · 1 engine could not run`. */
function toTitle(story: QualityStory): string {
  const { added, accepted, overBudget, report } = story;
  const unfit = findUnfit(story).length;
  const uncertain = findUncertain(story).length;
  const files = new Set(overBudget.map(({ path }) => path)).size;
  if (report.plans.length === 0 && report.configErrors.length === 0) return 'No engine was found to run';
  if (report.runs.length === 0 && unfit === 0) return 'No engine has a file to look at';
  const parts = [
    added.length === 0 ? 'no new findings' : toCountText(added.length, 'new finding'),
    ...(unfit === 0 ? [] : [`${toCountText(unfit, 'engine')} could not run`]),
    ...(uncertain === 0 ? [] : [`${toCountText(uncertain, 'engine')} not comparable`]),
    ...(files === 0 ? [] : [`${toCountText(files, 'file')} over budget`]),
    ...(story.isPatchWhole ? [] : ['change not read whole']),
    ...(accepted.length === 0 ? [] : [`${String(accepted.length)} accepted`]),
  ];
  return parts.join(' · ');
}

/** States what was compared with what. */
function renderGround(story: QualityStory): string {
  const { headSha, baseSha, scope, added, failLevel, changedConfigs, setup, setupProblem, isPatchWhole } = story;
  const base = baseSha === null ? 'nothing (there is no common commit)' : `the merge base ${toInlineCode(baseSha)}`;
  const counts = SEVERITIES.flatMap((severity) => {
    const count = added.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [`${String(count)} ${severity}`];
  });
  const found = counts.length === 0 ? 'nothing new' : `new: ${counts.join(', ')}`;
  const lines = [
    `- Head ${toInlineCode(headSha)}, compared with ${base}: ${found}`,
    `- New findings from ${toInlineCode(failLevel)} on fail the check`,
    `- CURRENT ran on ${SCOPES[scope]}, TARGET on what the policy says; TARGET is what counts`,
    ...(isPatchWhole
      ? []
      : ['- The change could not be read whole: places where a check was switched off may be missing']),
    ...(setup === null ? [] : renderSetup(setup)),
    ...(setupProblem === null ? [] : [`- Dependencies: ${toPlainText(setupProblem, MAX_WHY_LENGTH)}`]),
    ...changedConfigs.map(({ engine, paths }) => {
      const names = paths.slice(0, 10).map(toInlineCode).join(', ');
      return `- This pull request changes the configuration of ${toInlineCode(engine)}: ${names}. The base was looked at with the changed one, too`;
    }),
  ];
  return lines.join('\n');
}

const SCOPES: Readonly<Record<QualityStory['scope'], string>> = {
  changed: 'what the pull request changes',
  asked: 'the paths that were asked for',
  unknown: 'the same as TARGET (GitHub does not list all of the changes)',
};
