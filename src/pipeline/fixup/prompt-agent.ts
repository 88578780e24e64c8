import type { FixupTool } from '../../core/agents/task-limits.ts';
import { toAgentRequest } from '../../core/agents/to-agent-request.ts';
import { type Sha, toRunId } from '../../core/model/ids.ts';
import { type FixupSession, REMEMBERED_SESSIONS, type Session } from '../../core/model/session.ts';
import type { Prompt, PromptBase } from '../../core/prompts/compose-prompt.ts';
import { chooseBudget } from '../../core/prompts/evidence-budget.ts';
import {
  type EndedSession,
  findPreviousAttempt,
  MAX_PREVIOUS_PATCH_BYTES,
  type PreviousAttempt,
  toAnswersText,
  toRefusalText,
} from '../../core/prompts/previous-attempts.ts';
import { type AgentOrder, PATCH_FILE } from '../agents/run-agent.ts';
import type { Deps } from '../deps.ts';
import type { PreparedFixup } from './fixup-session.ts';

/** What the prompts of all tasks have in common. */
export async function toPromptBase(
  deps: Pick<Deps, 'files' | 'newId' | 'redactLong' | 'sites' | 'store'>,
  { session, facts, policy, validation }: Pick<PreparedFixup, 'session' | 'facts' | 'policy' | 'validation'>,
): Promise<PromptBase> {
  const previous = findPrevious(deps, session);
  return {
    ...{ facts, previous, sessionId: session.id, changes: policy.changes },
    validationCommands: validation.commands,
    attempt: session.fixup.attempt,
    previousAttempt: await readPreviousAttempt(deps, session, previous),
    peopleAnswered: await deps.redactLong(toAnswersText(previous, session.fixup.action)),
    delimiter: deps.newId(),
    inputs: deps.sites.layout.inputs,
    budget: chooseBudget(previous, session),
  };
}

/** How much of the evidence fits into a prompt. */
export function toEvidenceBudget(deps: Pick<Deps, 'store'>, session: FixupSession): PromptBase['budget'] {
  return chooseBudget(findPrevious(deps, session), session);
}

/** Earlier attempts. An undo is the work of a person and of git, and none. */
function findPrevious({ store }: Pick<Deps, 'store'>, { key }: FixupSession): readonly Session[] {
  return store.endedSessions(key, REMEMBERED_SESSIONS).filter(({ fixup }) => fixup?.undo === undefined);
}

async function readPreviousAttempt(
  { files, redactLong }: Pick<Deps, 'files' | 'redactLong'>,
  { fixup }: FixupSession,
  ended: readonly EndedSession[],
): Promise<PreviousAttempt | null> {
  const attempt = findPreviousAttempt(ended, fixup.action);
  if (attempt === null) return null;
  const patch = await files.readArtifact(toRunId(attempt.id), PATCH_FILE, MAX_PREVIOUS_PATCH_BYTES);
  return {
    reason: await redactLong(toRefusalText(attempt.outcome)),
    patch: patch === null ? null : await redactLong(patch),
  };
}

/** The order of one agent run. `targetFiles`: what the task is about; empty if the agent has to find out. */
export function toAgentOrder(
  { sites }: Pick<Deps, 'sites'>,
  { session, policy, validation }: Pick<PreparedFixup, 'session' | 'policy' | 'validation'>,
  task: {
    readonly tool: FixupTool;
    readonly prompt: Prompt;
    readonly targetFiles: readonly string[];
    readonly against: Sha;
  },
): AgentOrder {
  const { tool, prompt, targetFiles, against } = task;
  const request = toAgentRequest({
    ...{ sessionId: session.id, tool, prompt: prompt.text, targetFiles, policy, validation },
    evidence: prompt.evidence,
    previousEvidence: prompt.previousEvidence,
    workspacePath: sites.layout.root,
  });
  return { request, evidence: prompt.files, against };
}
