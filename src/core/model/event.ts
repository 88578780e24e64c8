import type { Sha } from './ids.ts';
import type { Actor, RepositoryRef } from './pull-request.ts';

/** The kind of a comment. GitHub numbers each kind separately. */
export const COMMENT_KINDS = ['issue_comment', 'review_comment'] as const;
export type CommentKind = (typeof COMMENT_KINDS)[number];

/** How a command was given: by a comment, a button of our check run, GitHub's Re-run of our check run, or a label. */
export const COMMAND_PLACES = [...COMMENT_KINDS, 'check_run', 'rerun', 'label'] as const;
export type CommandSource = (typeof COMMAND_PLACES)[number];

/**
 * What happened on GitHub. Only the webhook edge knows GitHub's payloads. An event is a hint which pull request to look at, and
 * is never trusted as its current state.
 */
export type Event =
  | {
      readonly kind: 'pull_request_changed';
      readonly repository: RepositoryRef;
      readonly number: number;
      readonly headSha: Sha;
      /** null: the head is in a fork. */
      readonly headRef: string | null;
      readonly baseRef: string;
    }
  | {
      readonly kind: 'ci_changed';
      readonly repository: RepositoryRef;
      readonly headSha: Sha;
      readonly headRef: string | null;
      /** A whole run of CI ended. Pull requests on this branch that are red like it may be able to continue. */
      readonly ended?: true;
    }
  | {
      /** GitHub's Re-run of our check runs. From a person it works like `/ratchet retry` or `/ratchet check`. */
      readonly kind: 'rerun_requested';
      readonly repository: RepositoryRef;
      readonly headSha: Sha;
      readonly headRef: string | null;
      readonly checkRunId: number;
      /** Name of the check run; missing if all check runs of the head were requested. */
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
      /** Of the command that it gives. */
      readonly args: readonly string[];
      readonly author: Actor;
    }
  | {
      /** A label was added or removed. The policy decides what it means. */
      readonly kind: 'label_changed';
      readonly repository: RepositoryRef;
      readonly number: number;
      readonly headSha: Sha;
      readonly headRef: string | null;
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
      /** A commit of the push changes the policy file. */
      readonly changesPolicy?: true;
    }
  | {
      readonly kind: 'installation_changed';
      readonly installationId: number;
      readonly change: 'added' | 'removed' | 'suspended' | 'unsuspended';
      /** Affected repositories; with `removed` or `suspended`, an empty list means all. */
      readonly repositories: readonly RepositoryRef[];
    };

/** Names of the commands. `core/commands/command-names.ts` lists which of them are available. */
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
  'accept',
  'answer',
  'help',
] as const;
export type CommandName = (typeof COMMAND_NAMES)[number];

/** Result of a command. */
export const COMMAND_OUTCOMES = ['done', 'refused', 'failed'] as const;

/** Reactions to a comment with a command: seen, carried out, refused. */
export const REACTIONS = ['eyes', '+1', 'confused'] as const;
export type Reaction = (typeof REACTIONS)[number];

/**
 * One line of a comment that addresses Ratchet. `unknown` keeps the written name for the reply. `unread` is a line that is not
 * carried out; `why` is part of a sentence and may hold words of the line.
 */
export type Command =
  | { readonly name: CommandName; readonly args: readonly string[] }
  | { readonly name: 'unknown'; readonly written: string; readonly nearest: CommandName | null }
  | { readonly name: 'unread'; readonly line: string; readonly why: string };
