import { newestBy } from '../lists/newest-by.ts';
import { isCalledOff } from './check-signal.ts';
import type { Progress } from './parse-result.ts';

/** What distinguishes the runs of workflows at one head. */
export interface WorkflowRunFacts extends Progress {
  readonly workflow: string;
  readonly event: string | null;
  /** The first number grows with every run of a repository. The second decides between attempts or simultaneous runs. */
  readonly age: readonly [number, number];
}

/**
 * The runs that still count, in input order. Of each workflow and event only the newest counts. A run that was called off counts
 * only if no newer run of the same workflow replaced it (trap 2).
 */
export function toCurrentRuns<Run>(runs: readonly Run[], toFacts: (run: Run) => WorkflowRunFacts): readonly Run[] {
  const known = runs.map((run) => ({ run, facts: toFacts(run) }));
  const all = known.map(({ facts }) => facts);
  const newestOfWorkflow = newestBy(all, ({ workflow }) => workflow, isNewer);
  const newestOfEvent = newestBy(all, toEventKey, isNewer);
  return known
    .filter(({ facts }) => newestOfEvent.get(toEventKey(facts)) === facts)
    .filter(({ facts }) => !isCalledOff(facts) || newestOfWorkflow.get(facts.workflow) === facts)
    .map(({ run }) => run);
}

function toEventKey({ workflow, event }: WorkflowRunFacts): string {
  return JSON.stringify([workflow, event]);
}

function isNewer({ age: [first, second] }: WorkflowRunFacts, other: WorkflowRunFacts): boolean {
  const [otherFirst, otherSecond] = other.age;
  return first === otherFirst ? second > otherSecond : first > otherFirst;
}
