import { onTestFinished } from 'vitest';
import { examineSides } from '../../src/adapters/source/examine-change.ts';
import { createStore, type StoreOptions } from '../../src/adapters/store/create-store.ts';
import { parseCommands } from '../../src/core/commands/parse-commands.ts';
import { toAsked } from '../../src/core/decide/to-asked.ts';
import type { Asked } from '../../src/core/model/ask.ts';
import { InvariantError } from '../../src/core/model/errors.ts';
import type { CommandName, CommentKind, Event } from '../../src/core/model/event.ts';
import { type PullRequestKey, parseSessionId, type Sha, toPullRequestKey } from '../../src/core/model/ids.ts';
import type { Actor, CheckResult, PullRequestFacts } from '../../src/core/model/pull-request.ts';
import { EVALUATE_QUEUE, FIXUP_QUEUE, QUALITY_QUEUE } from '../../src/core/model/queues.ts';
import type { Session } from '../../src/core/model/session.ts';
import type { SpendLimits } from '../../src/core/model/spend.ts';
import type { Workspace } from '../../src/core/model/workspace.ts';
import { NO_OPERATOR_POLICY } from '../../src/core/policy/operator-policy.ts';
import { createRedactor } from '../../src/core/redact/create-redactor.ts';
import { PERSON_COMMENT_MARKER } from '../../src/core/render/render-person-comment.ts';
import type { SpendList } from '../../src/core/spend/may-spend.ts';
import type { Deps, Lease } from '../../src/pipeline/deps.ts';
import { evaluatePullRequest } from '../../src/pipeline/evaluate/evaluate-pull-request.ts';
import { createOldHeadRuns } from '../../src/pipeline/fixup/old-head-runs.ts';
import { runFixup } from '../../src/pipeline/fixup/run-fixup.ts';
import { createRunRegistry } from '../../src/pipeline/run/run-registry.ts';
import type { GitHub } from '../../src/ports/github.ts';
import type { MergeTool } from '../../src/ports/merge-tool.ts';
import type { Queue, RunResult } from '../../src/ports/queue.ts';
import type { Delivery, Store, Transition } from '../../src/ports/store.ts';
import { aCheck, aFixup, aPerson, aPullRequest, aRepository, aSession } from './builders.ts';
import { createFakeAgent, type FakeAgent } from './fake-agent.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { createFakeGateway, type FakeGateway } from './fake-gateway.ts';
import { createFakeGit, type FakeGit } from './fake-git.ts';
import { createFakeGitHub, type FakeGitHub } from './fake-github.ts';
import { createFakeSessionFiles, type FakeSessionFiles } from './fake-session-files.ts';
import { createFakeSites, type FakeSites } from './fake-sites.ts';
import { aDelivery, type LogLine, memoryStore, recordingLog } from './store.ts';

/** May write, and is the pull request's author. */
export const WRITER: Actor = aPerson();
/** May write, and reviews. */
export const REVIEWER: Actor = aPerson({ id: 200, login: 'grace' });
/** The App's own account. */
const OWN_BOT: Actor = { id: 9000, login: 'ratchet-app[bot]', kind: 'bot' };
/** A secret of the process under test. */
export const LIVE_SECRET = 'webhook-secret-0123456789abcdef';

export const MINUTE_MS = 60_000;
const RECHECK_MS = 10 * MINUTE_MS;
/** After so long without a heartbeat an announced person blocks nothing. */
export const USER_SESSION_IDLE_MS = 5 * MINUTE_MS;
const LEASE_MS = MINUTE_MS;
const MAX_STEPS = 30;

/** The whole flow of one pull request on fakes and a real store in memory; its queues are stepped by hand. */
export interface Pipeline {
  readonly deps: Deps;
  readonly key: PullRequestKey;
  readonly agent: FakeAgent;
  readonly clock: FakeClock;
  readonly files: FakeSessionFiles;
  readonly git: FakeGit;
  readonly gateway: FakeGateway;
  readonly github: FakeGitHub;
  readonly sites: FakeSites;
  /** Programs of the operator; a test changes them. */
  readonly tools: { mergeTool: MergeTool | null };
  /** What agents may spend; a test changes it. */
  readonly spend: { list: SpendList; limits: SpendLimits };
  readonly store: Store;
  readonly log: readonly LogLine[];
  /** What the flow did to the world, in order. */
  readonly journal: readonly string[];
  /** A comment arrives by webhook. Nothing runs yet. */
  readonly comment: (body: string, comment?: { readonly author?: Actor; readonly kind?: CommentKind }) => number;
  /** A comment is written, and its webhook arrives later. */
  readonly holdComment: (body: string) => { readonly arrive: () => void };
  /** Somebody presses a button of our check run. */
  readonly pressButton: (button: CommandName, author?: Actor, args?: readonly string[]) => void;
  /** Somebody puts a label on the pull request, or takes it off. */
  readonly label: (name: string, change?: 'added' | 'removed', author?: Actor) => void;
  /** Somebody uses GitHub's own Re-run of our check run of that name. */
  readonly rerun: (author?: Actor, checkName?: string) => void;
  /** What our comments say, but for the one that is for whoever must act. */
  readonly replies: () => readonly string[];
  /** Wakes the pull request and runs one iteration. Throws what the iteration throws; the key is due again then. */
  readonly evaluate: () => Promise<RunResult>;
  /** Runs the fixup that is due. Throws when none is, and what the run throws; the key is due again then. */
  readonly runFixup: (options?: { readonly signal?: AbortSignal }) => Promise<void>;
  /** Steps both queues until nothing is due at this instant. */
  readonly settle: () => Promise<void>;
  /** Steps looks only, while a fixup runs. */
  readonly settleLooks: () => Promise<void>;
  readonly isDue: (queue: typeof EVALUATE_QUEUE | typeof FIXUP_QUEUE) => boolean;
  /** CI reports a new result at the head; null: it runs. */
  readonly reportCi: (conclusion: CheckResult['conclusion'], name?: string) => void;
  /** A push to the branch by a writer, or by `by` (null: GitHub does not tell); CI has said nothing there yet. */
  readonly pushFromOutside: (headSha: Sha, by?: Actor | null) => void;
  /** The same push restores what the last commit of Ratchet changed. */
  readonly revertFromOutside: (headSha: Sha, by?: Actor | null) => void;
  /** The App loses its access to the repository. */
  readonly takeAppOff: () => void;
  /** Another process, or a person, is at work. */
  readonly announceSession: (change: Partial<Session>) => void;
  readonly workspace: () => Workspace;
  /** What GitHub was asked for, as the next look will see it. */
  readonly asked: () => Asked;
  /** Newest first. */
  readonly transitions: () => readonly Transition[];
  /** Code of the newest transition. */
  readonly lastCode: () => string | undefined;
  readonly liveSession: () => Session | null;
  readonly endedSessions: () => readonly Session[];
}

type OpenStore = (options: Omit<StoreOptions, 'path'>) => Store;

type ToGitHub = (github: FakeGitHub, clock: FakeClock) => GitHub;

/** A pull request with red CI that webhooks have told of, and that nobody has enabled. */
export function startPipeline(
  change: Partial<PullRequestFacts> = {},
  toGitHub: ToGitHub = (github) => github,
): Pipeline {
  const pipeline = createPipeline(change, { openStore: memoryStore, ids: 'id', toGitHub });
  tellOfPullRequest(pipeline.store, pipeline.github.facts());
  return pipeline;
}

/**
 * The pull request of a database that an earlier process left at `path`, with one check run: this process starts on it, and frees
 * the leases of that one.
 */
export async function resumePipeline(path: string, change: Partial<PullRequestFacts> = {}): Promise<Pipeline> {
  const openStore: OpenStore = (options) => createStore({ path, ...options });
  const pipeline = createPipeline(change, { openStore, ids: 'next', toGitHub: (github) => github });
  const { headSha } = pipeline.github.facts();
  const check = { name: 'Ratchet', headSha, externalId: '', status: 'in_progress', conclusion: null } as const;
  const content = { ...check, title: '', summary: '', actions: [] };
  await pipeline.github.createCheckRun(aRepository(), content, new AbortController().signal);
  for (const queue of [EVALUATE_QUEUE, FIXUP_QUEUE, QUALITY_QUEUE]) pipeline.store.freeLeases(queue);
  return pipeline;
}

function createPipeline(
  change: Partial<PullRequestFacts>,
  { openStore, ids, toGitHub }: { readonly openStore: OpenStore; readonly ids: string; readonly toGitHub: ToGitHub },
): Pipeline {
  const facts = aPullRequest(change);
  const key = toPullRequestKey(aRepository().repositoryId, facts.number);
  const clock = createFakeClock();
  const { log, lines } = recordingLog();
  const store = openStore({ now: clock.now, log });
  onTestFinished(store.close);
  const journal: string[] = [];
  const github = createFakeGitHub(facts, journal);
  github.permit(WRITER.login, WRITER.id, 'write');
  github.permit(REVIEWER.login, REVIEWER.id, 'write');
  const git = createFakeGit({
    branch: facts.headRef,
    headSha: facts.headSha,
    onPush: (_branch, headSha) => {
      github.addPush({ before: github.facts().headSha, after: headSha, by: OWN_BOT });
      github.change({ headSha, checks: [] });
    },
    journal,
  });
  const sites = createFakeSites(journal, git);
  const agent = createFakeAgent();
  const gateway = createFakeGateway();
  const spend: Pipeline['spend'] = { list: { entries: ['acme'], appOwner: null }, limits: {} };
  const tools: Pipeline['tools'] = { mergeTool: null };
  const files = createFakeSessionFiles();
  const deps: Deps = {
    ...{ clock, files, gateway, git, log, sites, store },
    agents: { all: [agent], find: (name) => (name === null || name === agent.name ? agent : null) },
    github: toGitHub(github, clock),
    evaluateQueue: STEPPED_QUEUE,
    fixupQueue: STEPPED_QUEUE,
    testJudge: { prepare: () => undefined, judge: async (change) => examineSides(change) },
    get mergeTool() {
      return tools.mergeTool;
    },
    registries: null,
    qualityQueue: STEPPED_QUEUE,
    newDeadline: clock.deadline,
    newId: createIds(ids),
    redact: createRedactor([LIVE_SECRET]),
    redactLong: async (text) => createRedactor([LIVE_SECRET])(text),
    oldHeadRuns: createOldHeadRuns(),
    running: createRunRegistry(),
    settings: {
      recheckMs: RECHECK_MS,
      liveSecrets: () => [LIVE_SECRET],
      signsOff: false,
      operatorPolicy: NO_OPERATOR_POLICY,
      userSessionIdleMs: USER_SESSION_IDLE_MS,
      spend: {
        list: () => spend.list,
        get limits() {
          return spend.limits;
        },
      },
    },
  };
  return {
    ...{ deps, key, agent, clock, files, gateway, git, github, sites, spend, store, tools, journal, log: lines },
    ...createSteps(deps, key),
    ...createEvents(deps, { key, github, git, ids }),
    ...createViews({ store, key, github }),
  };
}

/** Red CI, and a fixup that changed nothing: Ratchet has stopped at this failure. */
export async function startStopped(policyText: string | null = null): Promise<Pipeline> {
  const pipeline = await startEnabled({ policyText });
  pipeline.git.agentLeaves({ changes: [], patch: '' });
  await pipeline.settle();
  return pipeline;
}

/** Like `startPipeline`, and a writer has enabled it: one iteration has run. */
export async function startEnabled(change: Partial<PullRequestFacts> = {}): Promise<Pipeline> {
  const pipeline = startPipeline(change);
  pipeline.comment('/ratchet enable');
  await pipeline.evaluate();
  return pipeline;
}

/** Enabled with red CI: the first fixup is launched and waits for its run. */
export async function startLaunched(change: Partial<PullRequestFacts> = {}): Promise<Pipeline> {
  const pipeline = await startEnabled(change);
  if (pipeline.liveSession() === null) throw new InvariantError('no fixup was launched');
  return pipeline;
}

/** The first fixup was pushed; CI has said nothing about it yet, and the pull request was looked at. */
export async function startPushed(): Promise<Pipeline> {
  const pipeline = await startLaunched();
  await pipeline.runFixup();
  await pipeline.evaluate();
  return pipeline;
}

/** The rows of the real store say what is due; a story takes the steps itself. */
const STEPPED_QUEUE: Pick<Queue, 'announce'> = { announce: () => Promise.resolve() };

/** Ids in order; `prefix` tells those of one process from those of another on the same database. */
function createIds(prefix: string): () => string {
  let count = 0;
  return () => `${prefix}${String((count += 1)).padStart(20, '0')}`;
}

function tellOfPullRequest(store: Store, { number, headSha, headRef, baseRef }: PullRequestFacts): void {
  const repository = aRepository();
  store.ingest([aDelivery('opened', { kind: 'pull_request_changed', repository, number, headSha, headRef, baseRef })]);
}

type Steps = Pick<Pipeline, 'evaluate' | 'runFixup' | 'settle' | 'settleLooks' | 'isDue'>;

function createSteps(deps: Deps, key: PullRequestKey): Steps {
  const { store, clock } = deps;
  const due = (queue: string): string | undefined => store.dueWakeups(queue, clock.now(), 1)[0];

  async function step(
    queue: string,
    dueKey: string,
    run: (lease: Lease) => Promise<RunResult>,
    signal = new AbortController().signal,
  ): Promise<RunResult> {
    const isTimed = !store.isWoken(queue, dueKey);
    const leaseId = store.claimWakeup(queue, dueKey, clock.now(), LEASE_MS);
    if (leaseId === null) throw new InvariantError(`${queue} ${dueKey} is not due`);
    try {
      const result = await run({ leaseId, signal, isTimed });
      store.finishWakeup(queue, dueKey, leaseId, result.nextCheckAt);
      return result;
    } catch (error) {
      store.finishWakeup(queue, dueKey, leaseId, clock.now());
      throw error;
    }
  }
  const stepEvaluate = (): Promise<RunResult> =>
    step(EVALUATE_QUEUE, key, (lease) => evaluatePullRequest(deps, key, lease));

  async function stepFixup(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const sessionId = due(FIXUP_QUEUE);
    if (sessionId === undefined) throw new InvariantError('no fixup is due');
    await step(FIXUP_QUEUE, sessionId, (lease) => runFixup(deps, sessionId, lease), options.signal);
  }

  return {
    isDue: (queue) => due(queue) !== undefined,
    evaluate: async () => {
      store.markWakeup(EVALUATE_QUEUE, key, null);
      return stepEvaluate();
    },
    runFixup: stepFixup,
    settleLooks: async () => {
      while (due(EVALUATE_QUEUE) !== undefined) await stepEvaluate();
    },
    settle: async () => {
      for (let count = 0; count < MAX_STEPS; count += 1) {
        if (due(FIXUP_QUEUE) !== undefined) await stepFixup();
        else if (due(EVALUATE_QUEUE) !== undefined) await stepEvaluate();
        else return;
      }
      throw new InvariantError(`the flow did not come to rest within ${String(MAX_STEPS)} steps`);
    },
  };
}

type Events = Pick<
  Pipeline,
  | 'comment'
  | 'holdComment'
  | 'pressButton'
  | 'label'
  | 'rerun'
  | 'replies'
  | 'reportCi'
  | 'pushFromOutside'
  | 'revertFromOutside'
  | 'takeAppOff'
  | 'announceSession'
>;

function createEvents(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  world: { readonly key: PullRequestKey; readonly github: FakeGitHub; readonly git: FakeGit; readonly ids: string },
): Events {
  const { key, github, git, ids } = world;
  const pushFromOutside: Events['pushFromOutside'] = (headSha, by = WRITER) => {
    github.addPush({ before: github.facts().headSha, after: headSha, by });
    git.remote.set(github.facts().headRef, headSha);
    github.change({ headSha, checks: [] });
  };
  let comments = 0;
  let presses = 0;
  let results = 100;
  const arrive = (id: number, body: string, author: Actor, kind: CommentKind): void => {
    const comment = { kind, id, body };
    const event = { kind: 'comment_created', repository: aRepository(), number: 7, comment, author } as const;
    store.ingest([
      aDelivery(`${ids}-comment-${String(id)}`, event, {
        eventName: kind === 'issue_comment' ? 'issue_comment' : 'pull_request_review_comment',
        action: 'created',
        receivedAt: clock.now(),
        commands: parseCommands(body),
      }),
    ]);
  };
  return {
    pressButton: (button, author = WRITER, args = []) => {
      presses += 1;
      const repository = aRepository();
      const event = { kind: 'button_pressed', repository, number: 7, checkRunId: 9, button, args, author } as const;
      const commands = [{ name: button, args }];
      const receivedAt = clock.now();
      store.ingest([aDelivery(`press-${String(presses)}`, event, { eventName: 'check_run', commands, receivedAt })]);
    },
    label: (name, change = 'added', author = WRITER) => {
      presses += 1;
      const { headSha, headRef, baseRef, labels } = github.facts();
      const others = labels.filter((label) => label !== name);
      github.change({ labels: change === 'added' ? [...others, name] : others });
      const where = { repository: aRepository(), number: 7, headSha, headRef, baseRef };
      const event = { kind: 'label_changed', ...where, label: name, change, author } as const;
      store.ingest([toLabelDelivery(`label-${String(presses)}`, event)]);
    },
    rerun: (author = WRITER, checkName = 'Ratchet') => {
      presses += 1;
      const { headSha, headRef } = github.facts();
      const where = { repository: aRepository(), headSha, headRef };
      const event = { kind: 'rerun_requested', ...where, checkRunId: 9, checkName, author } as const;
      const name = checkName === 'Ratchet' ? 'retry' : 'check';
      const commands = author.kind === 'user' ? [{ name, args: [] } as const] : [];
      const receivedAt = clock.now();
      store.ingest([aDelivery(`rerun-${String(presses)}`, event, { eventName: 'check_run', commands, receivedAt })]);
    },
    replies: () => github.comments.map(({ body }) => body).filter((body) => !body.includes(PERSON_COMMENT_MARKER)),
    comment: (body, { author = WRITER, kind = 'issue_comment' } = {}) => {
      comments += 1;
      arrive(comments, body, author, kind);
      return comments;
    },
    holdComment: (body) => {
      comments += 1;
      const id = comments;
      return { arrive: () => arrive(id, body, WRITER, 'issue_comment') };
    },
    reportCi: (conclusion, name = 'build') => {
      results += 1;
      const status = conclusion === null ? 'in_progress' : 'completed';
      const { headSha } = github.facts();
      github.change({ checks: [aCheck({ id: results, name, headSha, status, conclusion })] });
    },
    pushFromOutside,
    revertFromOutside: (headSha, by) => {
      const { fixup, outcome } = store.endedSessions(key, 1)[0] ?? {};
      if (fixup === undefined || fixup === null || outcome?.kind !== 'pushed')
        throw new InvariantError('no push of ours');
      for (const path of outcome.files) {
        const versions = [fixup.headSha, outcome.commitSha, github.facts().headSha, headSha];
        for (const sha of versions) github.setBlob({ sha, path }, sha === outcome.commitSha ? 'new' : 'old');
      }
      pushFromOutside(headSha, by);
    },
    takeAppOff: () => {
      const { installationId } = aRepository();
      const event = { kind: 'installation_changed', installationId, change: 'removed', repositories: [] } as const;
      store.ingest([aDelivery('uninstalled', event, { eventName: 'installation', action: 'deleted' })]);
    },
    announceSession: (change) => {
      const session = aSession(null, { id: parseSessionId('announced'), ...change });
      const fixup = session.fixup ?? aFixup();
      const transition = {
        key,
        action: 'FIX_CI',
        code: 'CI_FAILED',
        reason: '',
        snapshot: null,
        createdAt: 0,
      } as const;
      // Nobody here runs it: no fixup becomes due.
      const wake = { queue: 'announced', key, notBefore: null };
      store.launchSession({ session: { ...session, fixup }, transition, patch: {}, wake });
    },
  };
}

/** As the edge does: only people give commands. */
function toLabelDelivery(seed: string, event: Event & { readonly kind: 'label_changed' }): Delivery {
  const name = event.change === 'added' ? 'enable' : 'disable';
  const commands = event.author.kind === 'user' ? [{ name, args: [event.label] } as const] : [];
  return aDelivery(seed, event, { action: event.change, commands });
}

type Views = Pick<Pipeline, 'workspace' | 'asked' | 'transitions' | 'lastCode' | 'liveSession' | 'endedSessions'>;

function createViews({ store, key, github }: Pick<Pipeline, 'store' | 'key' | 'github'>): Views {
  const readWorkspace = (): Workspace => {
    const workspace = store.workspace(key);
    if (workspace === null) throw new InvariantError('the workspace is missing');
    return workspace;
  };
  return {
    workspace: readWorkspace,
    asked: () => toAsked(store.recentAsks(key), readWorkspace(), github.facts().headSha),
    transitions: () => store.transitions(key, 100),
    lastCode: () => store.transitions(key, 1)[0]?.code,
    liveSession: () => store.liveSessions(key)[0] ?? null,
    endedSessions: () => store.endedSessions(key, 100),
  };
}
