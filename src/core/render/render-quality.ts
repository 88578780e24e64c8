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
import { toDetails, toParagraphs } from './markdown.ts';
import { author, maintainer, type NextStep, renderNextStep } from './reader-words.ts';
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

/** The result of a run: findings first, then what could not be checked, and the engines folded. All text by others is escaped. */
export function renderQuality(story: QualityStory): QualityText {
  const conclusion = concludeQuality(story);
  const parts = [
    ...renderHeadline(story, conclusion),
    renderFindings(story),
    renderOverBudget(story),
    renderTests(story),
    renderAccepted(story),
    renderFailures(story),
    renderSettings(story),
    toDetails('Engines and what was compared', toParagraphs([renderEngines(story), renderGround(story)])),
  ];
  return complete(conclusion, toTitle(story), toParagraphs(parts));
}

/** The check run while the engines run. */
export function renderQualityStart(headSha: Sha): QualityText {
  const summary = `The engines of the policy are running on ${toInlineCode(headSha)}.\n`;
  return { status: 'in_progress', conclusion: null, title: 'Engines are running', summary, actions: [] };
}

/** The final text of a run without a result. */
export function renderQualityStop(stop: QualityStop): QualityText {
  switch (stop.kind) {
    case 'superseded': {
      const where = stop.headSha === null ? '' : ` See the check run of ${toInlineCode(stop.headSha)}.`;
      return complete('neutral', 'Superseded by a newer commit', `The branch has a newer commit.${where}`);
    }
    case 'interrupted':
      // Not neutral: GitHub would accept it for a required check before the engines have run again.
      return complete(
        'action_required',
        'Interrupted',
        'The service stopped while the engines were running. Ratchet runs them again.',
      );
    case 'timed_out':
      return complete(
        'timed_out',
        'The engines did not finish in time',
        `Together they took more than ${String(Math.round(stop.limitMs / 60_000))} minutes. There is no result for this commit.`,
      );
    case 'fork':
      return complete(
        'action_required',
        'Forks are not supported',
        toParagraphs([
          'The pull request is from a fork. Engines run its code (configuration, tests), and Ratchet runs no code of forks.',
          renderNextStep(maintainer('If you trust the code, push the branch to this repository.')),
        ]),
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
  const { added, accepted, overBudget, report, unlooked } = story;
  const unfit = findUnfit(story).length;
  const uncertain = findUncertain(story).length;
  const files = new Set(overBudget.map(({ path }) => path)).size;
  if (report.plans.length === 0 && report.configErrors.length === 0) return 'No engine found';
  if (report.runs.length === 0 && unfit === 0) return 'No engine has a file to check';
  const parts = [
    added.length === 0 ? 'No new findings' : toCountText(added.length, 'new finding'),
    ...(unfit === 0 ? [] : [`${toCountText(unfit, 'engine')} could not run`]),
    ...(uncertain === 0 ? [] : [`${toCountText(uncertain, 'engine')} not compared completely`]),
    ...(files === 0 ? [] : [`${toCountText(files, 'file')} over budget`]),
    ...(story.isPatchWhole ? [] : ['change not read completely']),
    ...(unlooked.length === 0 ? [] : [`${toCountText(unlooked.length, 'submodule')} not looked at`]),
    ...(accepted.length === 0 ? [] : [`${String(accepted.length)} accepted`]),
  ];
  return parts.join(' · ');
}

/** The lines before everything else: the numbers, what fails the check, and what has to be done by whom. */
function renderHeadline(story: QualityStory, conclusion: ReturnType<typeof concludeQuality>): readonly string[] {
  const { added, comparisons, report, failLevel } = story;
  if (report.plans.length === 0) return [`**${NO_ENGINE}**`, renderNextStep(NAME_ENGINES)];
  const compared = comparisons.filter((comparison) => comparison.kind === 'compared');
  const count = (of: 'existing' | 'fixed'): number => compared.reduce((sum, one) => sum + one[of].length, 0);
  const level = SEVERITIES.flatMap((severity) => {
    const of = added.filter((finding) => finding.severity === severity).length;
    return of === 0 ? [] : [`${String(of)} ${severity}`];
  });
  const found = level.length === 0 ? '0 new' : `${String(added.length)} new (${level.join(', ')})`;
  const next = toNextStep(story, conclusion);
  return [
    `**Findings compared with the base branch: ${found}, ${String(count('fixed'))} fixed, ${String(count('existing'))} existing.**`,
    `New findings of severity ${toInlineCode(failLevel)} or higher fail this check.`,
    ...(next === null ? [] : [renderNextStep(next)]),
  ];
}

const NO_ENGINE = 'The policy names no engine, and none was detected in the repository.';
const NAME_ENGINES = maintainer('Name an engine under `engines` in `.github/ratchet.yml`.');

function toNextStep(story: QualityStory, conclusion: ReturnType<typeof concludeQuality>): NextStep | null {
  if (conclusion === 'success') return null;
  if (conclusion === 'failure' && story.added.length + story.overBudget.length > 0) {
    return author('Fix the findings below, or accept new ones with `/ratchet rebaseline REASON`.');
  }
  if (story.isPatchWhole && story.unlooked.length > 0) {
    return author('Review the new commits of the submodules by hand: the engines did not look into them (see below).');
  }
  if (story.isPatchWhole) return maintainer('Correct what keeps the engines from a complete answer (see below).');
  return author('The change is too large to be searched for suppressions. Review it by hand, or split it.');
}

/** States what was compared with what. */
function renderGround(story: QualityStory): string {
  const { headSha, baseSha, scope, changedConfigs, setup, setupProblem, isPatchWhole } = story;
  const base =
    baseSha === null ? 'nothing, because there is no common commit' : `the merge base ${toInlineCode(baseSha)}`;
  const lines = [
    `- Commit ${toInlineCode(headSha)}, compared with ${base}`,
    `- The engines ran on the files that the policy names${SCOPES[scope]}`,
    ...(isPatchWhole ? [] : ['- The change could not be read completely, so new suppressions may be missing']),
    ...(setup === null ? [] : renderSetup(setup)),
    ...(setupProblem === null ? [] : [`- Dependencies: ${toPlainText(setupProblem, MAX_WHY_LENGTH)}`]),
    ...changedConfigs.map(({ engine, paths }) => {
      const names = paths.slice(0, 10).map(toInlineCode).join(', ');
      return `- This pull request changes the configuration of ${toInlineCode(engine)}: ${names}. The base was checked with the changed one, too`;
    }),
  ];
  return lines.join('\n');
}

const SCOPES: Readonly<Record<QualityStory['scope'], string>> = {
  changed: ', and on the changed files alone where that differs',
  asked: ', and on the requested paths alone where that differs',
  unknown: ' (GitHub does not list all changes of this pull request)',
};
