import { toPredecessors, toStepKey } from '../execution/step-key.ts';
import { STEP_STATES, type StepResult, type StepState } from '../model/plan-run.ts';
import type { StepId, StructuredStep } from '../model/structured-plan.ts';
import { stripInvisible } from '../text/escape.ts';
import { toCountText } from '../text/words.ts';

const MAX_DESCRIPTION_LENGTH = 80;

/** The batches of a plan for a terminal: one line for each step. Ids and descriptions come from the plan. */
export function renderPlan(batches: readonly (readonly StructuredStep[])[]): string {
  const steps = batches.flat().length;
  const lines = batches.flatMap((batch, index) => [`Batch ${index + 1}`, ...batch.map((step) => `  ${toLine(step)}`)]);
  return [`${toCountText(steps, 'step')} in ${toCountText(batches.length, 'batch', 'batches')}`, ...lines, ''].join(
    '\n',
  );
}

function toLine({ step_id, action_type, description, depends_on, when, rollback_on_fail }: StructuredStep): string {
  const notes = [
    depends_on.length === 0 ? '' : `after ${depends_on.map(toShown).join(', ')}`,
    when === null ? '' : `if ${toShown(when.step)} ${when.is}`,
    rollback_on_fail ? 'undoes all if it fails' : '',
  ].filter((note) => note !== '');
  const head = `${toShown(step_id)}  ${toClean(action_type)}  ${toClean(description)}`.trimEnd();
  return notes.length === 0 ? head : `${head}  (${notes.join('; ')})`;
}

/** Colours of the states. A step that has not ended has none. */
const STATE_STYLES: Readonly<Record<StepState, string>> = {
  completed: 'fill:#d1f0d9,stroke:#1a7f37,color:#111',
  failed: 'fill:#ffd7d5,stroke:#cf222e,color:#111',
  skipped: 'fill:#eaeef2,stroke:#6e7781,color:#111',
  rolled_back: 'fill:#fff1c2,stroke:#9a6700,color:#111',
  rollback_failed: 'fill:#ffb1ab,stroke:#82071e,color:#111',
};

/**
 * The plan as a Mermaid flowchart (004.R31). Arrows point from a step to those that need it; a dotted one is a condition. With the
 * results of a run, each step has its state.
 */
export function toMermaid(
  steps: readonly StructuredStep[],
  results: ReadonlyMap<string, Pick<StepResult, 'state'>> = new Map(),
): string {
  const names = new Map(steps.map(({ step_id }, index) => [toStepKey(step_id), `s${index}`]));
  const states = steps.map(({ step_id }) => results.get(toStepKey(step_id))?.state ?? null);
  const nodes = steps.map(({ step_id, action_type, description }, index) => {
    const state = states[index] ?? null;
    const label = [toShown(step_id), action_type, description, ...(state === null ? [] : [state])];
    return `  s${index}["${label.map(toLabel).join('<br>')}"]${state === null ? '' : `:::${state}`}`;
  });
  const styles = STEP_STATES.filter((state) => states.includes(state)).map(
    (state) => `  classDef ${state} ${STATE_STYLES[state]}`,
  );
  const edges = steps.flatMap((step) =>
    [...toPredecessors(step)].flatMap((key) => {
      const [from, to] = [names.get(key), names.get(toStepKey(step.step_id))];
      if (from === undefined || to === undefined) return [];
      const isCondition = step.when !== null && toStepKey(step.when.step) === key;
      return [isCondition ? `  ${from} -. ${step.when.is} .-> ${to}` : `  ${from} --> ${to}`];
    }),
  );
  return ['flowchart TD', ...nodes, ...edges, ...styles, ''].join('\n');
}

function toShown(id: StepId): string {
  return toClean(toStepKey(id));
}

function toClean(text: string): string {
  const line = stripInvisible(text.replaceAll(/\s+/gu, ' '));
  return line.length > MAX_DESCRIPTION_LENGTH ? `${line.slice(0, MAX_DESCRIPTION_LENGTH - 1).toWellFormed()}…` : line;
}

/** Everything that could end a quoted label, or mean something in Markdown or HTML, becomes an entity of Mermaid. */
function toLabel(text: string): string {
  return toClean(text).replaceAll(/[^\p{L}\p{N} .,:/=+…_-]/gu, (character) => `#${String(character.codePointAt(0))};`);
}
