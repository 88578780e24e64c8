import { createHash } from 'node:crypto';
import { type PolicyFileParse, type PolicyProblem, parsePolicyFile } from '../../config/policy-file.ts';
import { toPolicyFileText } from '../../config/policy-file-text.ts';
import { CONFIG_CHECK_NAME } from '../../core/ci/own-checks.ts';
import type { CheckAnnotation } from '../../core/model/check-run.ts';
import type { Policy } from '../../core/model/policy.ts';
import { POLICY_PATH } from '../../core/model/policy-path.ts';
import type { PullRequestRef } from '../../core/model/pull-request.ts';
import type { Workspace } from '../../core/model/workspace.ts';
import { listChanges } from '../../core/policy/list-changes.ts';
import { toOperatorPolicyOf } from '../../core/policy/operator-policy.ts';
import { type ConfigCheckText, renderConfigCheck } from '../../core/render/render-config-check.ts';
import { findEngineErrors } from '../../engines/find-engine-errors.ts';
import type { CheckRunContent, ConfigFiles } from '../../ports/github.ts';
import type { CheckRunIdentity, StoredCheckRun } from '../../ports/store.ts';
import type { Deps } from '../deps.ts';
import { putTogether, type TakenPolicy } from '../look/take-policy.ts';
import { sendCheckRun } from './send-check-run.ts';

/** GitHub accepts at most 50 annotations per request. */
const MAX_ANNOTATIONS = 50;

type ConfigCheckDeps = Pick<Deps, 'github' | 'log' | 'redact' | 'settings' | 'store'>;

/** The pull request and its policy files. `taken` is the effective policy before the change. */
export interface ConfigCheckInput {
  readonly workspace: PullRequestRef & Pick<Workspace, 'key'>;
  readonly facts: CheckedFiles;
}
type CheckedFiles = ConfigFiles & { readonly taken: TakenPolicy };

/**
 * Reports, in a separate check run, problems in a changed policy file or what it would change. The file at the head is only
 * reported, never applied. A pull request that merely lacks a change of its base gets no check run. Unchanged content makes no
 * call.
 */
export async function checkConfigFile(
  deps: ConfigCheckDeps,
  input: ConfigCheckInput,
  signal: AbortSignal,
): Promise<void> {
  const { workspace, facts } = input;
  if (facts.headPolicyText === facts.policyText) return;
  const identity = { key: workspace.key, headSha: facts.headSha, name: CONFIG_CHECK_NAME, series: '' };
  const stored = deps.store.checkRun(identity);
  if (!(await touchesFile(deps, input, { identity, stored, signal }))) return;
  const parsed = parsePolicyFile(facts.headPolicyText);
  const text = renderConfigCheck(toStory(deps, input, parsed));
  const content = toContent(deps, input, { parsed, text });
  await sendCheckRun(deps, { workspace, series: '', content, isUnseen: true }, signal);
}

/** Asks GitHub once per head and base text. A negative answer is stored as a row without a check run id. */
async function touchesFile(
  { github, store }: ConfigCheckDeps,
  { workspace, facts }: ConfigCheckInput,
  asked: { readonly identity: CheckRunIdentity; readonly stored: StoredCheckRun | null; readonly signal: AbortSignal },
): Promise<boolean> {
  const { identity, stored, signal } = asked;
  if (stored !== null && (stored.checkRunId !== null || stored.generation > 0)) return true;
  const contentHash = toHash(['not touched', facts.policyText]);
  if (stored?.contentHash === contentHash) return false;
  if (await github.touchesPolicyFile(workspace, signal)) return true;
  const row = { ...identity, generation: 0, checkRunId: null, completed: true, conclusion: null };
  store.saveCheckRun({ ...row, contentHash });
  return false;
}

function toStory(
  deps: Pick<Deps, 'settings'>,
  { workspace, facts }: ConfigCheckInput,
  parsed: PolicyFileParse,
): Parameters<typeof renderConfigCheck>[0] {
  const operatorPolicy = toOperatorPolicyOf(deps.settings.operatorPolicy, workspace.repository);
  const now = facts.taken;
  const then = putTogether(now.organization, parsed, operatorPolicy);
  return {
    problems: parsed.kind === 'invalid' ? parsed.problems.map(toLine) : findNew(now.problems, then.problems),
    engineErrors: findNew(toEngineErrors(now.policy), toEngineErrors(then.policy)),
    isRemoved: facts.headPolicyText === null,
    changes: listChanges(now.policy, then.policy),
    effective: toPolicyFileText(then.policy),
    clamped: then.clamped,
    currentProblems: now.problems,
  };
}

function toEngineErrors({ engines }: Policy): readonly string[] {
  return findEngineErrors(engines).map(({ engine, message }) => `\`engines.${engine}\`: ${message}`);
}

/** Even a valid file may contradict the file of the organisation. */
function findNew(before: readonly string[], after: readonly string[]): readonly string[] {
  return after.filter((problem) => !before.includes(problem));
}

function toLine({ line, column, message }: PolicyProblem): string {
  return `line ${String(line)}, column ${String(column)}: ${message}`;
}

function toContent(
  { redact }: Pick<Deps, 'redact'>,
  { workspace, facts }: ConfigCheckInput,
  { parsed, text }: { readonly parsed: PolicyFileParse; readonly text: ConfigCheckText },
): CheckRunContent {
  const problems = parsed.kind === 'invalid' ? parsed.problems : [];
  return {
    name: CONFIG_CHECK_NAME,
    headSha: facts.headSha,
    externalId: workspace.key,
    status: 'completed',
    conclusion: text.conclusion,
    title: redact(text.title),
    summary: redact(text.summary),
    actions: [],
    annotations: problems.slice(0, MAX_ANNOTATIONS).map(
      (problem): CheckAnnotation => ({
        path: facts.headPolicyPath ?? POLICY_PATH,
        startLine: problem.line,
        endLine: problem.line,
        level: 'failure',
        message: redact(problem.message),
      }),
    ),
  };
}

function toHash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
