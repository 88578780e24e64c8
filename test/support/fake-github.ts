import type { CommentKind } from '../../src/core/model/event.ts';
import type { Permission, PullRequestFacts } from '../../src/core/model/pull-request.ts';
import type { CheckRunContent, GitHub, GitToken } from '../../src/ports/github.ts';

/** A call of GitHub's port, by name. */
export type GitHubCall = Exclude<keyof GitHub, 'appId' | 'gitUrl' | 'commitUrl'>;

/** Our check run as GitHub holds it: what it says now, and how often it was told. */
export interface FakeCheckRun {
  readonly id: number;
  readonly content: CheckRunContent;
  readonly updates: number;
}

/** GitHub with one pull request, in memory. */
export interface FakeGitHub extends GitHub {
  /** Names of the calls, in order. */
  readonly calls: readonly GitHubCall[];
  readonly reactions: readonly { readonly commentId: number; readonly kind: CommentKind; readonly reaction: string }[];
  readonly comments: readonly { readonly marker: string; readonly body: string }[];
  readonly checkRuns: () => readonly FakeCheckRun[];
  readonly tokens: readonly { readonly purpose: 'read' | 'push'; readonly token: string }[];
  readonly revoked: readonly string[];
  /** The pull request as GitHub holds it. */
  readonly facts: () => PullRequestFacts;
  /** Changes what the next read of the pull request gives. */
  readonly change: (change: Partial<PullRequestFacts>) => void;
  /** The pull request is gone: its reads give null. */
  readonly remove: () => void;
  /** The account behind `login`, and what it may do. */
  readonly permit: (login: string, userId: number, permission: Permission) => void;
  readonly setJobLog: (text: string | null) => void;
  /** The next call of that name fails. */
  readonly failNext: (call: GitHubCall, error: Error) => void;
  /** Happens while the next call of that name is on its way back: its answer is made, and nobody has it yet. */
  readonly during: (call: GitHubCall, happen: () => Promise<void>) => void;
}

interface State {
  facts: PullRequestFacts | null;
  jobLog: string | null;
  readonly permissions: Map<string, { readonly userId: number; readonly permission: Permission }>;
  readonly failures: Map<GitHubCall, Error>;
  readonly happenings: Map<GitHubCall, () => Promise<void>>;
  readonly checkRuns: Map<number, FakeCheckRun>;
}

/** A GitHub that holds `facts`. Every call and its order is written to `journal` too, as `github.<call>`. */
export function createFakeGitHub(facts: PullRequestFacts, journal: string[] = []): FakeGitHub {
  const calls: GitHubCall[] = [];
  const state: State = {
    facts,
    jobLog: 'Error: 1 is not 2',
    permissions: new Map(),
    failures: new Map(),
    happenings: new Map(),
    checkRuns: new Map(),
  };
  async function answer<Value>(call: GitHubCall, signal: AbortSignal, make: () => Value): Promise<Value> {
    calls.push(call);
    journal.push(`github.${call}`);
    signal.throwIfAborted();
    const failure = state.failures.get(call);
    state.failures.delete(call);
    if (failure !== undefined) throw failure;
    const value = make();
    const happen = state.happenings.get(call);
    state.happenings.delete(call);
    await happen?.();
    return value;
  }
  return {
    appId: 4242,
    calls,
    checkRuns: () => [...state.checkRuns.values()],
    facts: () => toFacts(state),
    change: (change) => {
      state.facts = { ...toFacts(state), ...change };
    },
    remove: () => {
      state.facts = null;
    },
    setJobLog: (text) => {
      state.jobLog = text;
    },
    permit: (login, userId, permission) => void state.permissions.set(login, { userId, permission }),
    failNext: (call, error) => void state.failures.set(call, error),
    during: (call, happen) => void state.happenings.set(call, happen),
    ...createReads(state, answer),
    ...createWrites(state, answer),
  };
}

function toFacts({ facts }: State): PullRequestFacts {
  if (facts === null) throw new Error('the pull request is gone');
  return facts;
}

type Answer = <Value>(call: GitHubCall, signal: AbortSignal, make: () => Value) => Promise<Value>;

function createReads(
  state: State,
  answer: Answer,
): Pick<
  GitHub,
  'readSlug' | 'readPullRequest' | 'readPermission' | 'readAnnotations' | 'readJobLog' | 'gitUrl' | 'commitUrl'
> {
  return {
    readSlug: (signal) => answer('readSlug', signal, () => 'ratchet-app'),
    readPullRequest: (_ref, signal) => answer('readPullRequest', signal, () => state.facts),
    readPermission: (_repository, login, signal) =>
      answer('readPermission', signal, () => state.permissions.get(login) ?? { userId: 0, permission: 'none' }),
    readAnnotations: (_repository, _check, _limit, signal) => answer('readAnnotations', signal, () => []),
    readJobLog: (_repository, _check, _maxBytes, signal) => answer('readJobLog', signal, () => state.jobLog),
    gitUrl: ({ owner, name }) => `https://github.test/${owner}/${name}.git`,
    commitUrl: ({ owner, name }, sha) => `https://github.test/${owner}/${name}/commit/${sha}`,
  };
}

type Writes = Pick<
  FakeGitHub,
  | 'reactions'
  | 'comments'
  | 'tokens'
  | 'revoked'
  | 'createCheckRun'
  | 'updateCheckRun'
  | 'addReaction'
  | 'ensureComment'
  | 'mintGitToken'
  | 'revokeGitToken'
>;

function createWrites(state: State, answer: Answer): Writes {
  const reactions: { commentId: number; kind: CommentKind; reaction: string }[] = [];
  const comments: { marker: string; body: string }[] = [];
  const tokens: (GitToken & { readonly purpose: 'read' | 'push' })[] = [];
  const revoked: string[] = [];
  return {
    reactions,
    comments,
    tokens,
    revoked,
    createCheckRun: (_repository, content, signal) =>
      answer('createCheckRun', signal, () => {
        const id = state.checkRuns.size + 1;
        state.checkRuns.set(id, { id, content, updates: 0 });
        return id;
      }),
    updateCheckRun: (_repository, id, content, signal) =>
      answer('updateCheckRun', signal, () => {
        const known = state.checkRuns.get(id);
        if (known === undefined) throw new Error(`there is no check run ${String(id)}`);
        state.checkRuns.set(id, { id, content, updates: known.updates + 1 });
      }),
    addReaction: (_repository, comment, reaction, signal) =>
      answer('addReaction', signal, () => {
        const isThere = reactions.some((known) => known.commentId === comment.id && known.reaction === reaction);
        if (!isThere) reactions.push({ commentId: comment.id, kind: comment.kind, reaction });
      }),
    ensureComment: (_ref, marker, body, signal) =>
      answer('ensureComment', signal, () => {
        if (!comments.some((known) => known.marker === marker)) comments.push({ marker, body });
      }),
    mintGitToken: (_repository, purpose, signal) =>
      answer('mintGitToken', signal, () => {
        const token = { purpose, token: `token-${String(tokens.length + 1)}`, expiresAt: Number.MAX_SAFE_INTEGER };
        tokens.push(token);
        return token;
      }),
    revokeGitToken: ({ token }, signal) => answer('revokeGitToken', signal, () => void revoked.push(token)),
  };
}
