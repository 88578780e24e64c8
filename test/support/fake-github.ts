import type { CheckAnnotation } from '../../src/core/model/check-run.ts';
import type { CommentKind } from '../../src/core/model/event.ts';
import type { Sha } from '../../src/core/model/ids.ts';
import type {
  Actor,
  CheckResult,
  Permission,
  PullRequestFacts,
  Push,
  ReviewThread,
} from '../../src/core/model/pull-request.ts';
import type {
  AskResult,
  BlobRef,
  ChangedFile,
  CheckRunContent,
  GitHub,
  GitToken,
  SentDeliveries,
  ThreadReply,
} from '../../src/ports/github.ts';

/** A call of GitHub's port, by name. */
export type GitHubCall = Exclude<keyof GitHub, 'appId' | 'gitUrl' | 'commitUrl' | 'fileUrl' | 'forgetTogether'>;

/** Our check run as GitHub holds it: what it says now, and how often it was told. */
export interface FakeCheckRun {
  readonly id: number;
  readonly content: CheckRunContent;
  /** All that were sent, in order. */
  readonly annotations: readonly CheckAnnotation[];
  readonly updates: number;
}

/** GitHub with one pull request, in memory. */
export interface FakeGitHub extends GitHub {
  /** Names of the calls, in order. */
  readonly calls: readonly GitHubCall[];
  readonly reactions: readonly { readonly commentId: number; readonly kind: CommentKind; readonly reaction: string }[];
  readonly comments: readonly { readonly marker: string; readonly body: string }[];
  /** What GitHub was asked to do on its side, in order. */
  readonly asked: readonly string[];
  readonly postedReviews: readonly {
    readonly marker: string;
    readonly body: string;
    readonly replies: readonly ThreadReply[];
  }[];
  /** GitHub refuses the call for good, from now on. */
  readonly refuse: (call: GitHubCall, why: string) => void;
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
  /** The log of one check run, instead of the one of all. */
  readonly setJobLogOf: (checkRunId: number, text: string) => void;
  /** What every check run is annotated with. */
  readonly setAnnotations: (annotations: readonly CheckAnnotation[]) => void;
  /** What the pull request changes: `src/a.ts` where nothing is said; null: too much to be listed. */
  readonly setChangedFiles: (files: readonly ChangedFile[] | null) => void;
  /** What CI says of another commit than the head. */
  readonly setChecksAt: (sha: Sha, checks: readonly CheckResult[]) => void;
  /** A push to the branch, as GitHub tells it. */
  readonly addPush: (push: Push) => void;
  /** Content of a file at a commit; null: there is none. */
  readonly setBlob: (ref: BlobRef, text: string | null) => void;
  /** The merge base of any two commits from now on; the first of them where nothing is said. */
  readonly setMergeBase: (sha: Sha | null) => void;
  /** What GitHub's list of deliveries says; empty where nothing is said. */
  readonly setSent: (read: (cursor: string | null) => SentDeliveries) => void;
  /** The next call of that name fails. */
  readonly failNext: (call: GitHubCall, error: Error) => void;
  /** Happens while the next call of that name is on its way back: its answer is made, and nobody has it yet. */
  readonly during: (call: GitHubCall, happen: () => Promise<void>) => void;
}

const APP_ID = 4242;

interface State {
  facts: PullRequestFacts | null;
  jobLog: string | null;
  readonly jobLogs: Map<number, string>;
  annotations: readonly CheckAnnotation[];
  changedFiles: readonly ChangedFile[] | null;
  mergeBase: Sha | null | undefined;
  /** Newest first. */
  readonly pushes: Push[];
  readonly blobs: Map<string, string>;
  sent: (cursor: string | null) => SentDeliveries;
  readonly checksAt: Map<Sha, readonly CheckResult[]>;
  readonly permissions: Map<string, { readonly userId: number; readonly permission: Permission }>;
  readonly refusals: Map<GitHubCall, string>;
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
    jobLogs: new Map(),
    annotations: [],
    changedFiles: [{ path: 'src/a.ts', change: 'modified', previousPath: null }],
    mergeBase: undefined,
    pushes: [],
    blobs: new Map(),
    sent: () => ({ deliveries: [], next: null }),
    checksAt: new Map(),
    permissions: new Map(),
    refusals: new Map(),
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
    appId: APP_ID,
    calls,
    setSent: (read) => {
      state.sent = read;
    },
    checkRuns: () => [...state.checkRuns.values()],
    facts: () => toFacts(state),
    change: (change) => {
      state.facts = { ...toFacts(state), ...change };
    },
    remove: () => {
      state.facts = null;
    },
    setJobLogOf: (checkRunId, text) => void state.jobLogs.set(checkRunId, text),
    setJobLog: (text) => {
      state.jobLog = text;
    },
    setAnnotations: (annotations) => {
      state.annotations = annotations;
    },
    setChangedFiles: (files) => {
      state.changedFiles = files;
    },
    setMergeBase: (sha) => {
      state.mergeBase = sha;
    },
    addPush: (push) => void state.pushes.unshift(push),
    setBlob: ({ sha, path }, text) => {
      if (text === null) state.blobs.delete(`${sha}:${path}`);
      else state.blobs.set(`${sha}:${path}`, text);
    },
    setChecksAt: (sha, checks) => void state.checksAt.set(sha, checks),
    permit: (login, userId, permission) => void state.permissions.set(login, { userId, permission }),
    refuse: (call, why) => void state.refusals.set(call, why),
    failNext: (call, error) => void state.failures.set(call, error),
    during: (call, happen) => void state.happenings.set(call, happen),
    ...createReads(state, answer),
    ...createWrites(state, answer),
    ...createComments(answer),
    ...createAsks(state, answer),
  };
}

function toFacts({ facts }: State): PullRequestFacts {
  if (facts === null) throw new Error('the pull request is gone');
  return facts;
}

const OWN_SLUG = 'ratchet-app';

type Answer = <Value>(call: GitHubCall, signal: AbortSignal, make: () => Value) => Promise<Value>;

function createReads(
  state: State,
  answer: Answer,
): Pick<
  GitHub,
  | 'readSlug'
  | 'readApp'
  | 'readCommitIdentity'
  | 'readPullRequest'
  | 'readTogether'
  | 'forgetTogether'
  | 'readPermission'
  | 'readAnnotations'
  | 'readAllAnnotations'
  | 'readJobLog'
  | 'readMergeBase'
  | 'readPushes'
  | 'readBlobs'
  | 'readChecksAt'
  | 'readConfigFiles'
  | 'touchesPolicyFile'
  | 'readChangedFiles'
  | 'gitUrl'
  | 'commitUrl'
  | 'fileUrl'
> {
  return {
    // The real one asks once and remembers: only a failure is worth a line.
    readCommitIdentity: (_repository, signal) =>
      answer('readCommitIdentity', signal, () => ({
        name: `${OWN_SLUG}[bot]`,
        email: `7+${OWN_SLUG}[bot]@users.noreply.github.com`,
      })),
    readSlug: async (signal) =>
      state.failures.has('readSlug') ? answer('readSlug', signal, () => OWN_SLUG) : OWN_SLUG,
    readApp: async () => ({ slug: OWN_SLUG, owner: 'acme' }),
    readPullRequest: (_ref, signal) => answer('readPullRequest', signal, () => state.facts),
    readTogether: (_ref, _others, signal) => answer('readTogether', signal, () => state.facts),
    forgetTogether: () => undefined,
    readAllAnnotations: (_repository, checks, _limit, signal) =>
      answer('readAllAnnotations', signal, () => new Map(checks.map(({ id }) => [id, state.annotations]))),
    readPermission: (_repository, login, signal) =>
      answer('readPermission', signal, () => state.permissions.get(login) ?? { userId: 0, permission: 'none' }),
    readAnnotations: (_repository, check, _limit, signal) =>
      answer('readAnnotations', signal, () => {
        const own = check.appId === APP_ID ? state.checkRuns.get(check.id) : undefined;
        return own?.annotations ?? state.annotations;
      }),
    readJobLog: (_repository, { id }, { maxBytes, take }, signal) =>
      answer('readJobLog', signal, () => {
        const log = state.jobLogs.get(id) ?? state.jobLog;
        if (log === null) return null;
        take?.(Buffer.from(log));
        return Buffer.from(log).subarray(-maxBytes).toString('utf8');
      }),
    readMergeBase: (_repository, base, _head, signal) =>
      answer('readMergeBase', signal, () => (state.mergeBase === undefined ? base : state.mergeBase)),
    readPushes: (_repository, _branch, signal) => answer('readPushes', signal, () => [...state.pushes]),
    readBlobs: (_repository, refs, signal) =>
      answer('readBlobs', signal, () =>
        refs.map(({ sha, path }) => {
          const text = state.blobs.get(`${sha}:${path}`);
          return text === undefined ? null : { oid: text, text };
        }),
      ),
    readChecksAt: (_repository, sha, signal) => answer('readChecksAt', signal, () => state.checksAt.get(sha) ?? []),
    readConfigFiles: (_ref, signal) =>
      answer('readConfigFiles', signal, () => {
        if (state.facts === null) return null;
        const { headSha, headPolicyText, policyText, organizationPolicyText } = state.facts;
        return { headSha, headPolicyText, policyText, organizationPolicyText };
      }),
    readChangedFiles: (_ref, signal) => answer('readChangedFiles', signal, () => state.changedFiles),
    touchesPolicyFile: (_ref, signal) => answer('touchesPolicyFile', signal, () => false),
    gitUrl: ({ owner, name }) => `https://github.test/${owner}/${name}.git`,
    fileUrl: ({ owner, name }, { sha, path, line }) =>
      `https://github.test/${owner}/${name}/blob/${sha}/${path}${line === null ? '' : `#L${line}`}`,
    commitUrl: ({ owner, name }, sha) => `https://github.test/${owner}/${name}/commit/${sha}`,
  };
}

type Comments = Pick<FakeGitHub, 'comments' | 'ensureComment' | 'upsertComment' | 'editComment'>;

function createComments(answer: Answer): Comments {
  const comments: { marker: string; body: string }[] = [];
  const find = (marker: string) => comments.find(({ body }) => body.includes(marker));
  return {
    comments,
    ensureComment: (_ref, marker, body, signal) =>
      answer('ensureComment', signal, () => {
        if (find(marker) === undefined) comments.push({ marker, body });
      }),
    upsertComment: (_ref, marker, body, signal) =>
      answer('upsertComment', signal, () => {
        const known = find(marker);
        if (known === undefined) comments.push({ marker, body });
        else known.body = body;
      }),
    editComment: (_ref, marker, body, signal) =>
      answer('editComment', signal, () => {
        const known = find(marker);
        if (known !== undefined) known.body = body;
      }),
  };
}

type Asks = Pick<
  FakeGitHub,
  | 'asked'
  | 'postedReviews'
  | 'readSentDeliveries'
  | 'redeliver'
  | 'rerunFailedJobs'
  | 'updateBranch'
  | 'disableAutoMerge'
  | 'postReview'
  | 'resolveThread'
>;

/** What is done on GitHub's side is written down; a test makes it happen with `change`. */
function createAsks(state: State, answer: Answer): Asks {
  const asked: string[] = [];
  const postedReviews: { marker: string; body: string; replies: readonly ThreadReply[] }[] = [];
  const ask = (call: GitHubCall, what: string, signal: AbortSignal): Promise<AskResult> =>
    answer(call, signal, () => {
      const why = state.refusals.get(call);
      if (why !== undefined) return { kind: 'refused', why };
      asked.push(`${call} ${what}`);
      return { kind: 'asked' };
    });
  return {
    asked,
    postedReviews,
    readSentDeliveries: (cursor, signal) => answer('readSentDeliveries', signal, () => state.sent(cursor)),
    redeliver: (id, signal) => ask('redeliver', id, signal),
    rerunFailedJobs: (_repository, runId, signal) => ask('rerunFailedJobs', String(runId), signal),
    updateBranch: (_ref, headSha, signal) => ask('updateBranch', headSha, signal),
    disableAutoMerge: ({ number }, signal) => ask('disableAutoMerge', String(number), signal),
    resolveThread: async (_repository, threadId, signal) => {
      const result = await ask('resolveThread', threadId, signal);
      if (result.kind === 'asked') changeThread(state, threadId, { isResolved: true });
      return result;
    },
    postReview: async (_ref, review, signal) => {
      const isNew = await answer('postReview', signal, () => {
        if (postedReviews.some(({ marker }) => marker === review.marker)) return false;
        postedReviews.push(review);
        for (const { threadId, body } of review.replies) addReply(state, threadId, body);
        return true;
      });
      // The threads are those of its end: what happens while replies are on their way is in them.
      return isNew ? (state.facts?.threads ?? null) : null;
    },
  };
}

function changeThread(state: State, threadId: string, change: Partial<ReviewThread>): void {
  const facts = toFacts(state);
  const threads = facts.threads.map((thread) => (thread.id === threadId ? { ...thread, ...change } : thread));
  state.facts = { ...facts, threads };
}

/** Whether GitHub's search for our check run finds this one. */
function isSameCheckRun({ content }: FakeCheckRun, { headSha, name, externalId }: CheckRunContent): boolean {
  return content.headSha === headSha && content.name === name && content.externalId === externalId;
}

/** A reply of the App, as the next read shows it. */
function addReply(state: State, threadId: string, body: string): void {
  const comments = toFacts(state).threads.find(({ id }) => id === threadId)?.comments ?? [];
  const last = comments.at(-1);
  const author: Actor = { id: 9000, login: 'ratchet-app', kind: 'bot' };
  const at = (last?.updatedAt ?? 0) + 1000;
  const reply = { id: (last?.id ?? 0) + 1000, author, body, createdAt: at, updatedAt: at };
  changeThread(state, threadId, { comments: [...comments, reply] });
}

type Writes = Pick<
  FakeGitHub,
  | 'reactions'
  | 'tokens'
  | 'revoked'
  | 'createCheckRun'
  | 'updateCheckRun'
  | 'addReaction'
  | 'mintGitToken'
  | 'revokeGitToken'
>;

function createWrites(state: State, answer: Answer): Writes {
  const reactions: { commentId: number; kind: CommentKind; reaction: string }[] = [];
  const tokens: (GitToken & { readonly purpose: 'read' | 'push' })[] = [];
  const revoked: string[] = [];
  return {
    reactions,
    tokens,
    revoked,
    createCheckRun: (_repository, content, signal, isFirst = false) =>
      answer('createCheckRun', signal, () => {
        const own = isFirst ? undefined : [...state.checkRuns.values()].find((one) => isSameCheckRun(one, content));
        const id = own?.id ?? state.checkRuns.size + 1;
        state.checkRuns.set(id, { id, annotations: content.annotations ?? [], updates: 0, ...own, content });
        return id;
      }),
    updateCheckRun: (_repository, id, content, signal) =>
      answer('updateCheckRun', signal, () => {
        const known = state.checkRuns.get(id);
        if (known === undefined) throw new Error(`there is no check run ${String(id)}`);
        const annotations = [...known.annotations, ...(content.annotations ?? [])];
        const { status, conclusion } = known.content;
        // A completed check run keeps its conclusion.
        const kept = status === 'completed' ? { ...content, status, conclusion } : content;
        state.checkRuns.set(id, { id, content: kept, annotations, updates: known.updates + 1 });
      }),
    addReaction: (_repository, comment, reaction, signal) =>
      answer('addReaction', signal, () => {
        const isThere = reactions.some((known) => known.commentId === comment.id && known.reaction === reaction);
        if (!isThere) reactions.push({ commentId: comment.id, kind: comment.kind, reaction });
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
