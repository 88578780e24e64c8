import { toCiVerdict } from '../../src/core/ci/ci-verdict.ts';
import { determineFixupAction } from '../../src/core/decide/determine-fixup-action.ts';
import type { Story } from '../../src/core/render/story.ts';
import { aPullRequest, aSnapshot, aWorkspace, NOW, type SnapshotChange } from './builders.ts';

/** What a reader of the check run may want to see, with the decision of this snapshot. */
export function aStory(when: SnapshotChange = {}, change: Partial<Story> = {}): Story {
  const snapshot = aSnapshot(when);
  const facts = aPullRequest();
  const ci = toCiVerdict({
    headSha: facts.headSha,
    headPushedAt: 0,
    now: NOW,
    ownAppId: 1,
    checks: facts.checks,
    policy: { settleSeconds: 60, required: null, ignore: [] },
    noCiProven: false,
  });
  return {
    workspace: aWorkspace(),
    facts,
    snapshot,
    decision: determineFixupAction(snapshot),
    ci,
    review: null,
    sessions: [],
    working: null,
    beside: [],
    toFileUrl: ({ sha, path, line }) =>
      `https://github.example/acme/widget/blob/${sha}/${path}${line === null ? '' : `#L${line}`}`,
    toCommitUrl: (sha) => `https://github.example/acme/widget/commit/${sha}`,
    ...change,
  };
}
