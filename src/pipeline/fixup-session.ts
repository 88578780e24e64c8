import type { Policy } from '../core/model/policy.ts';
import type { PullRequestFacts } from '../core/model/pull-request.ts';
import type { Fixup, RejectCode, Session, SessionOutcome } from '../core/model/session.ts';
import type { ValidationPlan } from '../core/validation/plan-validation.ts';
import type { SessionRepository } from '../ports/git.ts';
import type { Mount, SandboxSlot } from '../ports/sandbox.ts';

/** A session that Ratchet launched. */
export type FixupSession = Session & { readonly fixup: Fixup };

/** Everything that an attempt was prepared with; agent, gate and validation work on this. */
export interface PreparedAttempt {
  readonly session: FixupSession;
  readonly facts: PullRequestFacts;
  readonly policy: Policy;
  readonly repository: SessionRepository;
  /** Paths that the head tracks. */
  readonly tracked: readonly string[];
  /** Tracked paths that were taken out of the agent's workspace (threat T34). */
  readonly masked: readonly string[];
  readonly validation: ValidationPlan & { readonly kind: 'commands' };
  readonly dependencies: readonly Mount[];
  readonly slot: SandboxSlot;
  /** Folder whose files outlive the session. */
  readonly artifacts: string;
  readonly failingChecks: readonly string[];
}

/** Folders inside the sandbox. */
export const WORKSPACE = '/workspace';
export const AGENT_HOME = '/home/agent';
export const EVIDENCE = '/ratchet/evidence';

/** A step's answer: its value, or the outcome that ends the session. */
export type Step<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  | { readonly kind: 'ended'; readonly outcome: SessionOutcome };

export function ok<Value>(value: Value): Step<Value> {
  return { kind: 'ok', value };
}

/** Ends the session with nothing pushed. */
export function rejected(
  code: RejectCode,
  detail: string,
  more?: Partial<Pick<SessionOutcome & { kind: 'rejected' }, 'diff' | 'validation'>>,
): { readonly kind: 'ended'; readonly outcome: SessionOutcome } {
  return { kind: 'ended', outcome: { kind: 'rejected', code, detail, diff: null, validation: [], ...more } };
}

/** The whole environment of a command in the sandbox: nothing is inherited, nothing is secret. */
export function toSandboxEnv(toolsDir: string): Readonly<Record<string, string>> {
  return {
    HOME: AGENT_HOME,
    PATH: `${toolsDir}/bin:/usr/local/bin:/usr/bin:/bin`,
    LANG: 'C.UTF-8',
    CI: 'true',
    TMPDIR: '/tmp',
    NO_COLOR: '1',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
}
