import type { CheckRunConclusion } from '../../src/core/model/check-run.ts';
import { REJECT_CODES } from '../../src/core/model/session.ts';
import { STOP_CODES, type Stop } from '../../src/core/model/workspace.ts';
import type { QualityStory } from '../../src/core/quality/quality-story.ts';
import { DECISION_WORDS } from '../../src/core/render/decision-words.ts';
import { renderCheckRun } from '../../src/core/render/render-check-run.ts';
import { type ConfigStory, renderConfigCheck } from '../../src/core/render/render-config-check.ts';
import { type FailedLook, renderFailedLook } from '../../src/core/render/render-failed-look.ts';
import { renderNothingToDo, renderPersonComment } from '../../src/core/render/render-person-comment.ts';
import { renderQuality, renderQualityStart } from '../../src/core/render/render-quality.ts';
import { type Reply, renderReply } from '../../src/core/render/render-reply.ts';
import type { Story } from '../../src/core/render/story.ts';
import { aStory } from '../support/a-story.ts';
import { aDeclining, aHeldChange, aPush, aRejection, aSession, aWorkspace, fakeSha, NOW } from '../support/builders.ts';
import { DECISION_STORIES } from '../support/decision-stories.ts';
import { aFinding, anEngineError, aReport, aRun } from '../support/engine-stories.ts';
import type { Pipeline } from '../support/pipeline-fixture.ts';
import { aPlan, aQualityStory } from '../support/quality-stories.ts';
import type { Page } from './to-html.ts';

interface CheckText {
  readonly title: string;
  readonly summary: string;
  readonly conclusion: CheckRunConclusion | null;
  readonly actions?: readonly { readonly label: string }[];
}

function aCheckPage(name: string, { title, summary, conclusion, actions = [] }: CheckText): Page {
  return { name, title, conclusion, markdown: summary, buttons: actions.map(({ label }) => label) };
}

function aCommentPage(name: string, markdown: string): Page {
  return { name, title: null, conclusion: null, markdown, buttons: [] };
}

/** The check run, and the comment if there is one, of each decision: made by the real flow. */
export const DECISION_PAGES: readonly (readonly [code: string, read: () => Promise<readonly Page[]>])[] =
  Object.entries(DECISION_STORIES).map(([code, start]) => [code, async () => toPages(code, await start())]);

function toPages(code: string, { github }: Pipeline): readonly Page[] {
  const check = github.checkRuns().at(-1)?.content;
  const comment = github.comments.at(-1)?.body;
  return [
    ...(check === undefined ? [] : [aCheckPage(`check-${code}`, check)]),
    ...(comment === undefined ? [] : [aCommentPage(`comment-${code}`, comment)]),
  ];
}

function stopped(stop: Omit<Stop, 'causeKey'>, change: Partial<Story> = {}): Story {
  const workspace = aWorkspace({ stop: { causeKey: 'cause-1', ...stop } });
  return aStory({ ratchet: { stoppedFor: 'cause-1' } }, { workspace, ...change });
}

const OUTCOMES: readonly (readonly [string, Partial<Story>])[] = [
  ['pushed', { sessions: [aSession(aPush())] }],
  ['held', { sessions: [aSession(aHeldChange())] }],
  ['declined', { sessions: [aSession(aDeclining())] }],
  ['rejected', { sessions: [aSession(aRejection())] }],
];

const QUALITY: readonly (readonly [string, Partial<QualityStory>])[] = [
  ['clean', {}],
  ['findings', { added: [aFinding(), aFinding({ line: 4 })] }],
  ['not-run', { report: aReport({ plans: [aPlan('eslint')], engineErrors: [anEngineError()] }) }],
  ['incomplete', { report: aReport({ plans: [aPlan('eslint')], runs: [aRun({ complete: false })] }) }],
  ['no-engine', { report: aReport() }],
  ['accepted', { accepted: [{ finding: aFinding(), author: 'ada', reason: 'later' }] }],
];

const CHANGE = { name: 'maxAttempts', before: '3', after: '5' };
const QUIET: ConfigStory = {
  ...{ problems: [], engineErrors: [], isRemoved: false, changes: [], clamped: [], currentProblems: [] },
  effective: 'mode: push\n',
};

const REPLIES: Readonly<Record<string, Reply>> = {
  help: { kind: 'help' },
  status: { kind: 'status', enablement: 'enabled', story: aStory(), pause: null, sessions: [aSession(null)] },
  why: {
    kind: 'why',
    decisions: [
      { action: 'FIX_CI', code: 'CI_FAILED', reason: 'ci / test failed.', createdAt: NOW, since: NOW, times: 3 },
    ],
  },
  refused: { kind: 'refused', name: 'enable', why: 'needs_write' },
  unknown: { kind: 'unknown', written: 'enabel', nearest: 'enable' },
  'not-undone': {
    kind: 'not_undone',
    why: 'The last fixup was a merge.',
    byHand: ['git fetch origin', 'git reset --hard abc'],
  },
};

const FAILED: FailedLook = { why: 'GitHub answered 502.', isRefused: false };

/** What is made without the flow: each stop and reject code, what became of an attempt, the other check runs, the replies. */
export const TEXT_PAGES: readonly Page[] = [
  ...STOP_CODES.filter((code) => !Object.hasOwn(DECISION_WORDS, code)).flatMap((code) => {
    const story = stopped({ code, reason: 'The detail of the attempt.' }, { sessions: [aSession(aDeclining())] });
    return [
      aCheckPage(`stop-${code}`, renderCheckRun(story)),
      aCommentPage(`stop-comment-${code}`, renderPersonComment(story, fakeSha('head'))),
    ];
  }),
  ...REJECT_CODES.map((reject) => {
    const story = stopped(
      { code: 'NO_PUSH', reason: 'The detail of the attempt.', reject },
      { sessions: [aSession(aRejection({ code: reject }))] },
    );
    return aCheckPage(`reject-${reject}`, renderCheckRun(story));
  }),
  ...OUTCOMES.map(([name, change]) => aCheckPage(`outcome-${name}`, renderCheckRun(aStory({}, change)))),
  ...QUALITY.map(([name, change]) => aCheckPage(`quality-${name}`, renderQuality(aQualityStory(change)))),
  aCheckPage('quality-start', renderQualityStart(fakeSha('head'))),
  aCheckPage('config-valid', renderConfigCheck({ ...QUIET, changes: [CHANGE] })),
  aCheckPage(
    'config-broken',
    renderConfigCheck({ ...QUIET, problems: ['line 2, column 3: unknown key "maxAttempt"'] }),
  ),
  aCheckPage('failed-look', renderFailedLook(FAILED)),
  ...Object.entries(REPLIES).map(([name, reply]) => aCommentPage(`reply-${name}`, renderReply(reply))),
  aCommentPage('comment-nothing-to-do', renderNothingToDo(fakeSha('head'), false)),
];
