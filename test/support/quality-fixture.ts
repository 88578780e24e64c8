import type { EnginesReport } from '../../src/core/model/engine-report.ts';
import { InvariantError } from '../../src/core/model/errors.ts';
import type { PullRequestFacts } from '../../src/core/model/pull-request.ts';
import { QUALITY_CHECK_NAME } from '../../src/core/model/quality-check-name.ts';
import { QUALITY_QUEUE } from '../../src/core/model/queues.ts';
import type { OperatorPolicy } from '../../src/core/policy/operator-policy.ts';
import type { Side, SideRequest, SideResult } from '../../src/pipeline/quality/quality-side.ts';
import { runQuality } from '../../src/pipeline/quality/run-quality.ts';
import { aReport, aRun } from './engine-stories.ts';
import type { FakeCheckRun } from './fake-github.ts';
import { type Pipeline, resumePipeline, startPipeline } from './pipeline-fixture.ts';
import { aPlan } from './quality-stories.ts';

/** A policy that asks for one engine, which is required. */
export const ENGINES_POLICY = 'engines:\n  eslint: { required: true }\n';

/** What was run on a side. */
export interface SideCall {
  readonly side: Side;
  readonly request: SideRequest;
}

/** A pull request whose policy asks for engines; what they find is told by hand. */
export interface QualityPipeline extends Pipeline {
  /** The sides that engines ran on, in order. */
  readonly sides: readonly SideCall[];
  /** What the engines say of a side from now on. */
  readonly say: (name: Side['name'], report: Partial<EnginesReport>) => void;
  /** Happens while the engines run on the next side of that name. */
  readonly whileRunning: (name: Side['name'], happen: (signal: AbortSignal) => Promise<void> | void) => void;
  /** Takes the run that is due; throws when none is. */
  readonly runQuality: (options?: { readonly signal?: AbortSignal }) => Promise<void>;
  readonly isQualityDue: () => boolean;
  /** The operator's ceilings from now on. */
  readonly limit: (ceilings: OperatorPolicy['ceilings']) => void;
  /** What is kept of the newest run as JSON. */
  readonly report: () => unknown;
  /** Our check runs "Ratchet / quality", oldest first. */
  readonly qualityChecks: () => readonly FakeCheckRun[];
}

const LEASE_MS = 60_000;
const ASKS_FOR_ENGINES = { policyText: ENGINES_POLICY, headPolicyText: ENGINES_POLICY };

/** A pull request that nobody enabled, with a policy that asks for eslint, which finds nothing on either side. */
export function startQuality(change: Partial<PullRequestFacts> = {}): QualityPipeline {
  return addEngines(startPipeline({ ...ASKS_FOR_ENGINES, ...change }));
}

/** The same, on a database that an earlier process left at `path`. */
export async function resumeQuality(path: string): Promise<QualityPipeline> {
  return addEngines(await resumePipeline(path, ASKS_FOR_ENGINES));
}

function addEngines(pipeline: Pipeline): QualityPipeline {
  const { store, clock, key, github, files } = pipeline;
  const sides: SideCall[] = [];
  const clean = aReport({
    plans: [aPlan('eslint')],
    dedup: [{ engine: 'eslint', project: '.', ran: 'target' }],
    runs: [aRun()],
  });
  const said = new Map<string, EnginesReport>();
  const happenings = new Map<string, (signal: AbortSignal) => Promise<void> | void>();
  let operatorPolicy = pipeline.deps.settings.operatorPolicy;
  const deps = {
    ...pipeline.deps,
    runSide: async (side: Side, request: SideRequest, signal: AbortSignal): Promise<SideResult> => {
      sides.push({ side, request });
      const happen = happenings.get(side.name);
      happenings.delete(side.name);
      await happen?.(signal);
      signal.throwIfAborted();
      return {
        report: said.get(side.name) ?? clean,
        specs: [{ id: 'eslint', configFiles: ['eslint.config.js'] }],
        sight: (_engine, path) => path.endsWith('.ts'),
      };
    },
  };
  return {
    ...pipeline,
    sides,
    say: (name, report) => void said.set(name, { ...clean, ...report }),
    whileRunning: (name, happen) => void happenings.set(name, happen),
    limit: (ceilings) => void (operatorPolicy = { ...operatorPolicy, ceilings }),
    isQualityDue: () => store.dueWakeups(QUALITY_QUEUE, clock.now(), 1).length > 0,
    report: (): unknown => {
      const id = store.qualityRuns(key, 1)[0]?.id ?? '';
      return JSON.parse(files.written.get(`${id}/quality.json`) ?? 'null');
    },
    qualityChecks: () => github.checkRuns().filter(({ content }) => content.name === QUALITY_CHECK_NAME),
    runQuality: async ({ signal = new AbortController().signal } = {}) => {
      const leaseId = store.claimWakeup(QUALITY_QUEUE, key, clock.now(), LEASE_MS);
      if (leaseId === null) throw new InvariantError('no run of the engines is due');
      try {
        const settings = { ...deps.settings, operatorPolicy };
        const { nextCheckAt } = await runQuality({ ...deps, settings }, key, { leaseId, signal });
        store.finishWakeup(QUALITY_QUEUE, key, leaseId, nextCheckAt);
      } catch (error) {
        store.finishWakeup(QUALITY_QUEUE, key, leaseId, clock.now());
        throw error;
      }
    },
  };
}
