import type { RunId, Sha } from '../../src/core/model/ids.ts';
import type { TreeChange } from '../../src/core/model/tree-change.ts';
import type { Git, ImportedTree, MergeProbe, MergeTree, Mirror, PushResult, TreeDiff } from '../../src/ports/git.ts';
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
  /** The sessions that each sweep was told to spare: the live ones, then those whose change is held. */
  readonly sweptExcept: readonly (readonly string[])[];
  /** The mirror is evicted, with all that it kept. */
  readonly dropMirror: () => void;
  /** The tree that the agent left, measured from `against`. */
  readonly leftTree: (against: Sha) => ImportedTree;
  /** What the agent leaves in its site from now on. */
  readonly agentLeaves: (tree: Partial<ImportedTree>) => void;
  /** Texts of the head's files (`head`) and of the files as the agent left them (`after`, over the head's). */
  readonly texts: (texts: { readonly head?: Texts; readonly after?: Texts }) => void;
  /** What git makes of the next merges; a clean one where nothing is said. `texts` are those of its tree, markers and all. */
  readonly mergesTo: (merge: MergeTree, texts?: Texts) => void;
  /** What git makes of the next reverts; a clean one where nothing is said. */
  readonly revertsTo: (revert: Awaited<ReturnType<Git['revertTree']>>) => void;
  /** Reverts that git was asked for. */
  readonly reverted: readonly { readonly commitSha: Sha; readonly parentSha: Sha; readonly onto: Sha }[];
  /** How the merged tree differs from head and base, and head and base from each other; not at all where nothing is said. */
  readonly mergeBrings: (brought: Partial<Brought>) => void;
  /** Texts of a commit. */
  readonly knows: (commit: Sha, texts: Texts) => void;
  /** Texts of blobs by their names. */
  readonly blobs: (texts: Readonly<Record<Sha, string>>) => void;
  /** What was resolved before. */
  readonly recalls: (files: Texts) => void;
  /** Merges whose resolution was remembered. */
  readonly remembered: readonly { readonly ours: Sha; readonly theirs: Sha; readonly resolved: Sha }[];
  /** Parents of the commits, in their order. */
  readonly parents: readonly (readonly Sha[])[];
  /** Trees that were mixed, in order. */
  readonly mixes: readonly Parameters<Git['mixTrees']>[1][];
  /** Patch id of every change from now on; one of its own for each where nothing is said. */
  readonly givePatchId: (id: string | null) => void;
  /** What the next probes find, by number. */
  readonly probes: (found: Readonly<Record<number, MergeProbe>>) => void;
  /** Heads that were probed. */
  readonly probed: readonly { readonly baseRef: string; readonly numbers: readonly number[] }[];
  /** The next push ends like this; `arrives`: the remote has it all the same. */
  readonly endNextPush: (result: PushResult, arrives?: boolean) => void;
  readonly failNext: (call: GitCall, error: Error) => void;
}

type Texts = Readonly<Record<string, string>>;
type Brought = Readonly<Record<'fromHead' | 'fromBase' | 'between', readonly TreeChange[]>>;
const NOTHING_BROUGHT: Brought = { fromHead: [], fromBase: [], between: [] };

const MIRROR: Mirror = { repositoryId: 10, gitDir: '/mirrors/10', objectsDir: '/mirrors/10/objects' };
/** What git makes of head and base where a test says nothing else. */
export const MERGED_TREE = fakeSha('merged');
/** The head without the last fixup. */
const REVERTED_TREE = fakeSha('reverted');

const TREE: ImportedTree = {
  treeSha: fakeSha('tree'),
  against: fakeSha('head'),
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
  merge: MergeTree;
  revert: Awaited<ReturnType<Git['revertTree']>>;
  brought: Brought;
  recalled: Texts;
  patchId: string | null | undefined;
  probes: Readonly<Record<number, MergeProbe>>;
  readonly blobs: Map<string, string>;
  /** Texts of the trees that are known. */
  readonly trees: Map<Sha, Texts>;
  tree: ImportedTree;
  head: Texts;
  after: Texts;
  nextPush: { readonly result: PushResult; readonly arrives: boolean } | null;
  readonly failures: Map<GitCall, Error>;
  readonly kept: Set<Sha>;
  /** By the run that left them. */
  readonly held: Map<RunId, Sha>;
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
    merge: { kind: 'clean', treeSha: MERGED_TREE },
    revert: { kind: 'clean', treeSha: REVERTED_TREE },
    brought: NOTHING_BROUGHT,
    recalled: {},
    patchId: undefined,
    probes: {},
    blobs: new Map(),
    trees: new Map(),
    tree: TREE,
    head: { 'package.json': '{"scripts":{"test":"node --test"}}', 'src/a.ts': 'before' },
    after: {},
    nextPush: null,
    failures: new Map(),
    kept: new Set(),
    held: new Map(),
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
    leftTree: (against) => ({ ...state.tree, against }),
    ...createWorkspaces(state, answer),
    ...createMerges(state, answer),
    ...createTrees(state, answer),
    ...createCommits(state, answer, options.onPush),
  };
}

type Workspaces = Pick<
  FakeGit,
  | 'ensureMirror'
  | 'openMirror'
  | 'prepareSession'
  | 'readFiles'
  | 'listFiles'
  | 'listSubmodules'
  | 'removeSession'
  | 'removedSessions'
  | 'sweep'
  | 'sweptExcept'
  | 'dropMirror'
>;

function createWorkspaces(state: State, answer: Answer): Workspaces {
  const removedSessions: string[] = [];
  const sweptExcept: (readonly string[])[] = [];
  return {
    removedSessions,
    sweptExcept,
    dropMirror: () => {
      state.hasMirror = false;
      state.kept.clear();
      state.held.clear();
    },
    ensureMirror: (_repository, _want, _remote, signal) =>
      answer('ensureMirror', signal, () => {
        state.hasMirror = true;
        return MIRROR;
      }),
    openMirror: () => answer('openMirror', null, () => (state.hasMirror ? MIRROR : null)),
    prepareSession: (mirror, { id, headSha }, signal) =>
      answer('prepareSession', signal, () => {
        return { runId: id, mirror, controlDir: `/sessions/${id}/control`, headSha };
      }),
    readFiles: (repository, { treeish, paths }, signal) =>
      answer('readFiles', signal, () => {
        const texts = toTexts(state, treeish, repository.headSha);
        return Object.fromEntries(Object.entries(texts).filter(([path]) => paths.includes(path)));
      }),
    listFiles: (repository, signal, treeish) =>
      answer('listFiles', signal, () => Object.keys(toTexts(state, treeish ?? repository.headSha, repository.headSha))),
    listSubmodules: (_repository, signal) => answer('listSubmodules', signal, () => []),
    removeSession: (id) =>
      answer('removeSession', null, () => {
        removedSessions.push(id);
        state.kept.clear();
      }),
    sweep: ({ live, held }, signal) => answer('sweep', signal, () => void sweptExcept.push([...live, ...held])),
  };
}

/** Texts of a tree: the head's, those of a tree that is known, else as the agent left them. */
function toTexts(state: State, treeish: Sha, headSha: Sha): Texts {
  if (treeish === headSha) return state.head;
  return state.trees.get(treeish) ?? { ...state.head, ...state.after };
}

type Merges = Pick<
  FakeGit,
  | 'mergeTree'
  | 'revertTree'
  | 'revertsTo'
  | 'reverted'
  | 'recallResolutions'
  | 'rememberResolutions'
  | 'forgetResolutions'
  | 'probeMerges'
  | 'mergesTo'
  | 'mergeBrings'
  | 'recalls'
  | 'remembered'
  | 'probes'
  | 'probed'
>;

function createMerges(state: State, answer: Answer): Merges {
  const remembered: { readonly ours: Sha; readonly theirs: Sha; readonly resolved: Sha }[] = [];
  const reverted: { readonly commitSha: Sha; readonly parentSha: Sha; readonly onto: Sha }[] = [];
  const probed: { readonly baseRef: string; readonly numbers: readonly number[] }[] = [];
  return {
    remembered,
    probed,
    reverted,
    revertsTo: (revert) => {
      state.revert = revert;
    },
    revertTree: (_repository, revert, signal) =>
      answer('revertTree', signal, () => {
        reverted.push(revert);
        return state.revert;
      }),
    mergesTo: (merge, texts) => {
      state.merge = merge;
      if ('treeSha' in merge && texts !== undefined) state.trees.set(merge.treeSha, { ...state.head, ...texts });
    },
    mergeBrings: (brought) => {
      state.brought = { ...NOTHING_BROUGHT, ...brought };
    },
    recalls: (files) => {
      state.recalled = files;
    },
    probes: (found) => {
      state.probes = found;
    },
    mergeTree: (_repository, _merge, signal) => answer('mergeTree', signal, () => state.merge),
    recallResolutions: (_mirror, _merge, signal) => answer('recallResolutions', signal, () => state.recalled),
    rememberResolutions: (_mirror, merge, signal) =>
      answer('rememberResolutions', signal, () => void remembered.push(merge)),
    forgetResolutions: (_mirror, _merge, signal) =>
      answer('forgetResolutions', signal, () => {
        state.recalled = {};
      }),
    probeMerges: (_mirror, { baseRef, pulls }, _remote, signal) =>
      answer('probeMerges', signal, () => {
        probed.push({ baseRef, numbers: pulls.map(({ number }) => number) });
        const found = pulls.map(({ number }) => [number, state.probes[number] ?? 'unknown'] as const);
        return { baseSha: fakeSha('base'), probes: new Map(found) };
      }),
  };
}

type Trees = Pick<
  FakeGit,
  'writeTree' | 'mixTrees' | 'mixes' | 'diffTrees' | 'readBlobs' | 'blobs' | 'knows' | 'patchId' | 'givePatchId'
>;

function createTrees(state: State, answer: Answer): Trees {
  let written = 0;
  let patches = 0;
  const mixes: FakeGit['mixes'][number][] = [];
  return {
    mixes,
    blobs: (texts) => {
      for (const [sha, text] of Object.entries(texts)) state.blobs.set(sha, text);
    },
    knows: (commit, texts) => void state.trees.set(commit, texts),
    givePatchId: (id) => {
      state.patchId = id;
    },
    writeTree: (repository, { treeSha, files }, signal) =>
      answer('writeTree', signal, () => {
        if (Object.keys(files).length === 0) return treeSha;
        const texts = Object.entries({ ...toTexts(state, treeSha, repository.headSha), ...files });
        const sha = fakeSha(`written-${String((written += 1))}`);
        const kept = texts.flatMap(([path, text]) => (text === null ? [] : [[path, text] as const]));
        state.trees.set(sha, Object.fromEntries(kept));
        return sha;
      }),
    mixTrees: (_repository, mix, signal) =>
      answer('mixTrees', signal, () => {
        mixes.push(mix);
        return fakeSha(`mixed-${String(mixes.length)}`);
      }),
    diffTrees: (repository, { from, to }, signal) =>
      answer('diffTrees', signal, (): TreeDiff => {
        const isMerge = 'treeSha' in state.merge && to === state.merge.treeSha;
        if ('treeSha' in state.revert && to === state.revert.treeSha) return state.tree;
        if (to === state.tree.treeSha && state.held.size > 0) return state.tree;
        if (from === to) return { changes: [], patch: '', patchTruncated: false };
        if (!isMerge && from === repository.headSha) {
          return { changes: state.brought.between, patch: '', patchTruncated: true };
        }
        if (!isMerge) return state.tree;
        const changes = from === repository.headSha ? state.brought.fromHead : state.brought.fromBase;
        return { changes, patch: '', patchTruncated: true };
      }),
    readBlobs: (_repository, { blobs }, signal) =>
      answer('readBlobs', signal, () => {
        const found = blobs.flatMap((sha) => {
          const text = state.blobs.get(sha);
          return text === undefined ? [] : [[sha, text] as const];
        });
        return new Map(found);
      }),
    patchId: (_repository, _from, _to, signal) =>
      answer('patchId', signal, () =>
        state.patchId === undefined ? fakeSha(`patch-${String((patches += 1))}`) : state.patchId,
      ),
  };
}

type Commits = Pick<
  FakeGit,
  'createCommit' | 'keepCommit' | 'readHeld' | 'pushKept' | 'readRemoteHead' | 'pushed' | 'messages' | 'parents'
>;

function createCommits(state: State, answer: Answer, onPush: (branch: string, commitSha: Sha) => void): Commits {
  const pushed: Sha[] = [];
  const messages: string[] = [];
  const parents: (readonly Sha[])[] = [];
  function arrive(branch: string, commitSha: Sha): void {
    state.remote.set(branch, commitSha);
    pushed.push(commitSha);
    onPush(branch, commitSha);
  }
  return {
    pushed,
    messages,
    parents,
    createCommit: (_repository, commit, signal) =>
      answer('createCommit', signal, () => {
        messages.push(commit.message);
        parents.push(commit.parents);
        return fakeSha(`commit-${String(messages.length)}`);
      }),
    keepCommit: ({ runId }, { commitSha, as }, signal) =>
      answer('keepCommit', signal, () => {
        if (as === 'held') state.held.set(runId, commitSha);
        else state.kept.add(commitSha);
      }),
    readHeld: (_repository, of, signal) =>
      answer('readHeld', signal, () => {
        const commitSha = state.held.get(of);
        return commitSha === undefined ? null : { commitSha, treeSha: fakeSha('tree') };
      }),
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
