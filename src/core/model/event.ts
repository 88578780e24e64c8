import type { Sha } from './ids.ts';
import type { Actor, RepositoryRef } from './pull-request.ts';

/** Where a comment stands; GitHub numbers the two kinds apart. */
export const COMMENT_KINDS = ['issue_comment', 'review_comment'] as const;
export type CommentKind = (typeof COMMENT_KINDS)[number];

/** Where a command was given: in a comment, by a button of our check run, by GitHub's own Re-run of it, or by a label. */
export const COMMAND_PLACES = [...COMMENT_KINDS, 'check_run', 'rerun', 'label'] as const;
export type CommandPlace = (typeof COMMAND_PLACES)[number];

/**
 * What happened on GitHub, as small facts in our own words: nothing past the edge knows GitHub's payloads. An event is a
 * hint which pull request to look at; nothing in it is trusted to be the current state.
 */
export type Event =
  | {
      readonly kind: 'pull_request_changed';
      readonly repository: RepositoryRef;
      readonly number: number;
      readonly headSha: Sha;
      readonly headRef: string;
      readonly baseRef: string;
    }
  | {
      readonly kind: 'ci_changed';
      readonly repository: RepositoryRef;
      readonly headSha: Sha;
      readonly headRef: string | null;
    }
  | {
      /** Re-run of our own check runs: of a person it does what `/ratchet retry` and `/ratchet check` do. */
      readonly kind: 'rerun_requested';
      readonly repository: RepositoryRef;
      readonly headSha: Sha;
      readonly headRef: string | null;
      readonly checkRunId: number;
      /** Name of the check run; missing where all of a head were meant. */
      readonly checkName?: string;
      readonly author: Actor;
    }
  | {
      readonly kind: 'comment_created';
      readonly repository: RepositoryRef;
      readonly number: number;
      readonly comment: { readonly kind: CommentKind; readonly id: number; readonly body: string };
      readonly author: Actor;
    }
  | {
      /** A button of our own check run. */
      readonly kind: 'button_pressed';
      readonly repository: RepositoryRef;
      readonly number: number;
      readonly checkRunId: number;
      readonly button: CommandName;
      readonly author: Actor;
    }
  | {
      /** A label was added or removed; whether it means anything is for the policy to say. */
      readonly kind: 'label_changed';
      readonly repository: RepositoryRef;
      readonly number: number;
      readonly headSha: Sha;
      readonly headRef: string;
      readonly baseRef: string;
      readonly label: string;
      readonly change: 'added' | 'removed';
      readonly author: Actor;
    }
  | { readonly kind: 'review_changed'; readonly repository: RepositoryRef; readonly number: number }
  | {
      readonly kind: 'branch_pushed';
      readonly repository: RepositoryRef;
      /** Branch name without `refs/heads/`. */
      readonly branch: string;
      readonly headSha: Sha;
      /** One of its commits names the policy file; left out: none does. */
      readonly changesPolicy?: true;
    }
  | {
      readonly kind: 'installation_changed';
      readonly installationId: number;
      readonly change: 'added' | 'removed' | 'suspended' | 'unsuspended';
      /** Repositories that the change names; with `removed` or `suspended`, an empty list means all of them. */
      readonly repositories: readonly RepositoryRef[];
    };

/** Names of the comment commands. `core/commands/command-names.ts` says which of them this version carries out. */
export const COMMAND_NAMES = [
  'enable',
  'disable',
  'status',
  'why',
  'retry',
  'pause',
  'resume',
  'stop',
  'check',
  'rebaseline',
  'undo',
  'help',
] as const;
export type CommandName = (typeof COMMAND_NAMES)[number];

/** What became of a command. */
export const COMMAND_OUTCOMES = ['done', 'refused', 'failed'] as const;

/** One `/ratchet …` line of a comment. `unknown` carries what was written, for the reply. */
export type Command =
  | { readonly name: CommandName; readonly args: readonly string[] }
  | { readonly name: 'unknown'; readonly written: string; readonly nearest: CommandName | null };
