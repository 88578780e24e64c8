import type { Sha } from '../../src/core/model/ids.ts';
import type { Git, ImportedTree, Mirror, PushResult } from '../../src/ports/git.ts';
import { aChange, fakeSha } from './builders.ts';

/** A call of the git port, by name. */
export type GitCall = keyof Git;

/** Git with one remote and commits that are only names, in memory. */
export interface FakeGit extends Git {
  /** Branches of the remote. */
  readonly remote: Map<string, Sha>;
  /** Commits that arrived at the remote by a push of ours. */
  readonly pushed: readonly Sha[];
  /** Commit messages, in the order of the commits. */
  readonly messages: readonly string[];
  readonly removedSessions: readonly string[];
  /** The paths that each import of a tree left out. */
  readonly excluded: readonly (readonly string[])[];
  /** The live sessions that each sweep was told to spare. */
  readonly sweptExcept: readonly (readonly string[])[];
  /** The mirror is evicted, with all that it kept. */
  readonly dropMirror: () => void;
  /** What the agent leaves in its workspace from now on. */
  readonly agentLeaves: (tree: Partial<ImportedTree>) => void;
  /** Texts of the head's files (`head`) and of the files as the agent left them (`after`, over the head's). */
  readonly texts: (texts: { readonly head?: Texts; readonly after?: Texts }) => void;
  /** The next push ends like this; `arrives`: the remote has it all the same. */
  readonly endNextPush: (result: PushResult, arrives?: boolean) => void;
  readonly failNext: (call: GitCall, error: Error) => void;
}

type Texts = Readonly<Record<string, string>>;

const MIRROR: Mirror = { repositoryId: 10, gitDir: '/mirrors/10', objectsDir: '/mirrors/10/objects' };
const TREE: ImportedTree = {
  treeSha: fakeSha('tree'),
  changes: [aChange()],
  patch: toPatch('src/a.ts', 'export const answer = 42;'),
  patchTruncated: false,
};

/** The diff of a file in which one line was replaced by `line`. */
export function toPatch(path: string, line: string): string {
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-before\n+${line}\n`;
}

interface State {
  hasMirror: boolean;
  tree: ImportedTree;
  head: Texts;
  after: Texts;
  nextPush: { readonly result: PushResult; readonly arrives: boolean } | null;
  readonly failures: Map<GitCall, Error>;
  readonly kept: Set<Sha>;
  readonly remote: Map<string, Sha>;
}

type Answer = <Value>(call: GitCall, signal: AbortSignal | null, make: () => Value) => Promise<Value>;

/** A remote whose branch `branch` is at `headSha`. `onPush` is told what arrives; calls are written to `journal` too. */
export function createFakeGit(options: {
  readonly branch: string;
  readonly headSha: Sha;
  readonly onPush: (branch: string, commitSha: Sha) => void;
  readonly journal: string[];
}): FakeGit {
  const state: State = {
    hasMirror: false,
    tree: TREE,
    head: { 'package.json': '{"scripts":{"test":"node --test"}}', 'src/a.ts': 'before' },
    after: {},
    nextPush: null,
    failures: new Map(),
    kept: new Set(),
    remote: new Map([[options.branch, options.headSha]]),
  };
  async function answer<Value>(call: GitCall, signal: AbortSignal | null, make: () => Value): Promise<Value> {
    options.journal.push(`git.${call}`);
    signal?.throwIfAborted();
    const failure = state.failures.get(call);
    state.failures.delete(call);
    if (failure !== undefined) throw failure;
    return make();
  }
  return {
    remote: state.remote,
    agentLeaves: (tree) => {
      state.tree = { ...TREE, ...tree };
    },
    texts: ({ head, after }) => {
      state.head = head ?? state.head;
      state.after = after ?? state.after;
    },
    endNextPush: (result, arrives = false) => {
      state.nextPush = { result, arrives };
    },
    failNext: (call, error) => void state.failures.set(call, error),
    ...createWorkspaces(state, answer),
    ...createCommits(state, answer, options.onPush),
  };
}

type Workspaces = Pick<
  FakeGit,
  | 'ensureMirror'
  | 'openMirror'
  | 'prepareSession'
  | 'checkoutTree'
  | 'readFiles'
  | 'listFiles'
  | 'importTree'
  | 'removeSession'
  | 'removedSessions'
  | 'sweep'
  | 'sweptExcept'
  | 'excluded'
  | 'dropMirror'
>;

function createWorkspaces(state: State, answer: Answer): Workspaces {
  const removedSessions: string[] = [];
  const sweptExcept: (readonly string[])[] = [];
  const excluded: (readonly string[])[] = [];
  return {
    removedSessions,
    sweptExcept,
    excluded,
    dropMirror: () => {
      state.hasMirror = false;
      state.kept.clear();
    },
    ensureMirror: (_repository, _want, _remote, signal) =>
      answer('ensureMirror', signal, () => {
        state.hasMirror = true;
        return MIRROR;
      }),
    openMirror: () => answer('openMirror', null, () => (state.hasMirror ? MIRROR : null)),
    prepareSession: (mirror, { id, headSha }, signal) =>
      answer('prepareSession', signal, () => {
        const folder = `/sessions/${id}`;
        return { sessionId: id, mirror, controlDir: `${folder}/control`, workDir: `${folder}/work`, headSha };
      }),
    checkoutTree: ({ sessionId }, _treeSha, name, signal) =>
      answer('checkoutTree', signal, () => `/sessions/${sessionId}/${name}`),
    readFiles: (repository, { treeish, paths }, signal) =>
      answer('readFiles', signal, () => {
        const texts = treeish === repository.headSha ? state.head : { ...state.head, ...state.after };
        return Object.fromEntries(Object.entries(texts).filter(([path]) => paths.includes(path)));
      }),
    listFiles: (_repository, signal) => answer('listFiles', signal, () => Object.keys(state.head)),
    importTree: (_repository, exclude, _maxBytes, signal) =>
      answer('importTree', signal, () => {
        excluded.push(exclude);
        return state.tree;
      }),
    removeSession: (id) =>
      answer('removeSession', null, () => {
        removedSessions.push(id);
        state.kept.clear();
      }),
    sweep: (live, signal) => answer('sweep', signal, () => void sweptExcept.push(live)),
  };
}

type Commits = Pick<FakeGit, 'createCommit' | 'keepCommit' | 'pushKept' | 'readRemoteHead' | 'pushed' | 'messages'>;

function createCommits(state: State, answer: Answer, onPush: (branch: string, commitSha: Sha) => void): Commits {
  const pushed: Sha[] = [];
  const messages: string[] = [];
  function arrive(branch: string, commitSha: Sha): void {
    state.remote.set(branch, commitSha);
    pushed.push(commitSha);
    onPush(branch, commitSha);
  }
  return {
    pushed,
    messages,
    createCommit: (_repository, { message }, signal) =>
      answer('createCommit', signal, () => {
        messages.push(message);
        return fakeSha(`commit-${String(messages.length)}`);
      }),
    keepCommit: (_repository, commitSha, signal) => answer('keepCommit', signal, () => void state.kept.add(commitSha)),
    pushKept: (_mirror, { commitSha, branch, oldSha }, _remote, signal) =>
      answer('pushKept', signal, (): PushResult => {
        if (!state.kept.has(commitSha)) throw new Error(`nobody kept ${commitSha}`);
        const planned = state.nextPush;
        state.nextPush = null;
        if (planned !== null) {
          if (planned.arrives) arrive(branch, commitSha);
          return planned.result;
        }
        const remoteSha = state.remote.get(branch) ?? null;
        if (remoteSha !== oldSha) return { kind: 'stale', remoteSha };
        arrive(branch, commitSha);
        return { kind: 'pushed' };
      }),
    readRemoteHead: (branch, _remote, signal) =>
      answer('readRemoteHead', signal, () => state.remote.get(branch) ?? null),
  };
}
