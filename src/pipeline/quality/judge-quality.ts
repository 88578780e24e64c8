import { DEFAULT_ENGINES_POLICY } from '../../core/model/default-policy.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { EnginesPolicy, Policy } from '../../core/model/policy.ts';
import type { PullRequestFacts } from '../../core/model/pull-request.ts';
import type { QualityAsk, QualityRun } from '../../core/model/quality-run.ts';
import type { SetupReport } from '../../core/model/setup-report.ts';
import type { Workspace } from '../../core/model/workspace.ts';

import { type AssembledStory, assembleStory } from '../../core/quality/assemble-story.ts';
import type { QualityStop } from '../../core/render/render-quality.ts';
import type { SessionRepository } from '../../ports/git.ts';
import type { ChangedFile } from '../../ports/github.ts';
import type { Deps } from '../deps.ts';
import { openRepository } from '../prepare/open-repository.ts';
import { prepareDependencies } from '../prepare/prepare-dependencies.ts';
import { createEngineCache } from './create-engine-cache.ts';
import type { RunSide, Side } from './quality-side.ts';
import { readBase } from './read-base.ts';

/** The part of `Deps` that an engine run needs, and the engines themselves. */
export type QualityDeps = Pick<
  Deps,
  | 'clock'
  | 'evaluateQueue'
  | 'files'
  | 'git'
  | 'github'
  | 'log'
  | 'newDeadline'
  | 'newId'
  | 'redact'
  | 'registries'
  | 'running'
  | 'settings'
  | 'sites'
  | 'store'
> & { readonly runSide: RunSide };

/** The pull request as the run read it, and what was asked. */
export interface QualityGround {
  readonly workspace: Workspace;
  readonly run: QualityRun;
  readonly facts: PullRequestFacts;
  readonly policy: Policy;
  readonly ask: QualityAsk | null;
}

/** The judged result, or why there is none. */
export type QualityJudgement =
  | { readonly kind: 'stopped'; readonly stop: QualityStop }
  | { readonly kind: 'judged'; readonly assembled: AssembledStory; readonly headFiles: ReadonlySet<string> };

/** Runs the engines over the head and the base, and compares both. */
export async function judgeQuality(
  deps: QualityDeps,
  ground: QualityGround,
  signal: AbortSignal,
): Promise<QualityJudgement> {
  const probe = await deps.sites.probe(signal);
  if (probe.kind === 'unavailable') return { kind: 'stopped', stop: { kind: 'not_possible', why: probe.why } };
  const { workspace, run, facts, policy, ask } = ground;
  const { headSha } = run;
  const engines = policy.engines ?? DEFAULT_ENGINES_POLICY;
  const baseSha = await deps.github.readMergeBase(workspace.repository, facts.baseSha, headSha, signal);
  const changed = await deps.github.readChangedFiles(workspace, signal);
  const repository = await openGround(deps, ground, baseSha, signal);
  const tracked = await deps.git.listFiles(repository, signal);
  const setup = await prepareSetup(deps, ground, { repository, tracked }, signal);
  const head: Side = {
    ...{ key: run.key, repository, name: 'head' },
    // Stored runs are found by content, so this is the tree and not the commit.
    treeSha: await deps.git.writeTree(repository, { treeSha: headSha, files: {} }, signal),
    dependencies: setup.dependencies,
    isSetupFailed: setup.problem !== null,
    cache: createEngineCache(deps, run.key),
  };
  const request = toRequest(engines, ask, changed);
  const result = await deps.runSide(head, { ...request, mode: 'both', only: null }, signal);
  signal.throwIfAborted();
  const base = await readBase(deps, { head, baseSha, tracked, result, request }, signal);
  const assembled = assembleStory({
    ...{ headSha, baseSha, report: result.report },
    scope: toScopeWord(ask, changed),
    bases: base.runs,
    patch: base.patch,
    isPatchWhole: base.isPatchWhole,
    unlooked: base.unlooked,
    changedConfigs: base.changedConfigs,
    carried: base.carried,
    sight: result.sight,
    budgets: base.budgets,
    renames: toRenames(changed),
    acceptances: deps.store.acceptances(run.key).map(({ acceptance }) => acceptance),
    setupProblem: setup.problem,
    setup: setup.report,
    settings: engines.engines,
    failLevel: engines.failLevel,
  });
  base.keepBudgets(assembled.budgets);
  return { kind: 'judged', assembled, headFiles: new Set(tracked) };
}

async function openGround(
  deps: QualityDeps,
  { workspace, run, facts }: QualityGround,
  baseSha: Sha | null,
  signal: AbortSignal,
): Promise<SessionRepository> {
  const alsoKeep = baseSha === null ? [] : [baseSha];
  const { baseRef, headRef, fork } = facts;
  const want = { id: run.id, headSha: run.headSha, headRef: fork ? null : headRef, baseRef, alsoKeep };
  return openRepository(deps, workspace, want, signal);
}

/** If `setup` fails, engines that need no dependencies still run, and the problem is reported. */
async function prepareSetup(
  deps: QualityDeps,
  { run, facts, policy }: QualityGround,
  made: { readonly repository: SessionRepository; readonly tracked: readonly string[] },
  signal: AbortSignal,
): Promise<{
  readonly dependencies: Side['dependencies'];
  readonly problem: string | null;
  readonly report: SetupReport | null;
}> {
  let report: SetupReport | null = null;
  const tellSetup = (told: SetupReport): void => {
    report = told;
  };
  const prepared = await prepareDependencies(deps, { facts, policy, ...made, tellSetup }, run.headSha, signal);
  signal.throwIfAborted();
  if (prepared.kind === 'ok') return { dependencies: prepared.value, problem: null, report };
  const { outcome } = prepared;
  const problem = 'detail' in outcome ? outcome.detail : 'They could not be prepared.';
  return { dependencies: null, problem, report };
}

/** The part of the request that is the same for both sides. */
function toRequest(
  policy: EnginesPolicy,
  ask: QualityAsk | null,
  changed: readonly ChangedFile[] | null,
): Pick<Parameters<RunSide>[1], 'policy' | 'paths' | 'timeoutSeconds' | 'refresh'> {
  return {
    policy,
    paths: ask?.paths ?? toScope(changed),
    timeoutSeconds: ask?.timeoutSeconds ?? null,
    refresh: ask?.refresh ?? false,
  };
}

/** Paths that still exist at the head. null: unknown, which is not the same as empty. */
function toScope(changed: readonly ChangedFile[] | null): readonly string[] | null {
  return changed?.filter(({ change }) => change !== 'deleted').map(({ path }) => path) ?? null;
}

function toScopeWord(ask: QualityAsk | null, changed: readonly ChangedFile[] | null): 'asked' | 'changed' | 'unknown' {
  if ((ask?.paths ?? null) !== null) return 'asked';
  return changed === null ? 'unknown' : 'changed';
}

function toRenames(changed: readonly ChangedFile[] | null): ReadonlyMap<string, string> {
  const renamed = changed ?? [];
  return new Map(renamed.flatMap(({ path, previousPath }) => (previousPath === null ? [] : [[path, previousPath]])));
}
