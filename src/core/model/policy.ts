import type { EnginesPolicy } from './engine.ts';

/** What Ratchet does with what it decides: only tell, offer a patch, or push. Least first. */
export type Mode = 'observe' | 'suggest' | 'push';

/** A file that a command makes anew, so that a conflict in it needs no agent (lockfiles). */
export interface Regenerable {
  /** Glob of the file's path. */
  readonly path: string;
  /** Shell command, run in the file's folder, without network. */
  readonly command: string;
}

/**
 * The settings of one repository: `.github/ratchet.yml` on the pull request's base branch, over the organisation's, over
 * defaults, under the operator's ceilings.
 */
export interface Policy {
  readonly mode: Mode;
  /** Pushing fixups, each counted, before a person is asked. */
  readonly maxAttempts: number;
  /** Fixups launched within 24 hours, pushed or not, before a person is asked. */
  readonly maxLaunchesPerDay: number;
  readonly ci: {
    /** How long a young head may stay without a result before its silence means something. */
    readonly settleSeconds: number;
    readonly staleTimeoutSeconds: number;
    readonly timeoutSeconds: number;
    /** Names that alone count; null: all of them. */
    readonly required: readonly string[] | null;
    /** Names (globs) that never count. */
    readonly ignore: readonly string[];
    /** Run failures of the infrastructure, and first failures that look flaky, again before an agent is launched. */
    readonly rerunFlaky: boolean;
    /** Launch an agent also where every red job is red on the merge base too. */
    readonly fixRedOnBase: boolean;
    /** Ask a person when a fixup was pushed and CI then failed in exactly the same way. */
    readonly stopOnSameFailure: boolean;
  };
  readonly merge: {
    /** Resolve conflicts with the base branch. */
    readonly resolveConflicts: boolean;
    /** Merge the base branch into a head that the base's rules demand to be up to date. */
    readonly updateBranch: boolean;
    /** The first entry whose path matches counts; there are no built-in ones. */
    readonly regenerate: readonly Regenerable[];
  };
  readonly reviews: {
    /** Work on review comments. */
    readonly fix: boolean;
    /** How long the newest comment must be old before a fixup starts, so that a burst of comments is one fixup. */
    readonly quietSeconds: number;
    /** Logins (globs, without `[bot]`) of bots whose threads and reviews count. */
    readonly allowBots: readonly string[];
    /** Logins (globs) of people and bots whose threads and reviews never count. */
    readonly ignore: readonly string[];
    /** Resolve a thread that was fixed and pushed. */
    readonly resolveThreads: boolean;
  };
  /** Whether a draft is worked on. */
  readonly drafts: 'work' | 'hold';
  /** What happens to a pull request whose auto-merge could merge a push that nobody reviewed. */
  readonly autoMerge: 'hold' | 'disarm';
  readonly labels: {
    /** Label that enables Ratchet when somebody with write permission adds it; null: none. */
    readonly enable: string | null;
    /** Label that holds Ratchet while it is there; null: none. */
    readonly hold: string | null;
  };
  /** One comment, edited in place, where a person must act. */
  readonly comment: 'on-action' | 'never';
  /** Shell commands that prepare dependencies, in a phase of their own. */
  readonly setup: readonly string[];
  /** Shell commands that must exit 0 before anything is pushed; null: detect the repository's test command. */
  readonly validate: readonly string[] | null;
  readonly sessionTimeoutMinutes: number;
  readonly validateTimeoutMinutes: number;
  readonly changes: {
    /** Globs that the agent may change; null: every tracked path but the protected ones. */
    readonly allowedPaths: readonly string[] | null;
    /** Globs that the agent may not change, beside the built-in ones. */
    readonly protectedPaths: readonly string[];
    readonly maxFiles: number;
    readonly maxLines: number;
    readonly maxBytes: number;
  };
  /** Engines whose findings are told by the check run "Ratchet / quality"; null: none, and no such check run. */
  readonly engines: EnginesPolicy | null;
}
