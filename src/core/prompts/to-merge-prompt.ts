import { composePrompt, type Prompt, type PromptBase } from './compose-prompt.ts';
import { type Exhibit, quote } from './data-frame.ts';

/** A file in conflict with the texts of its sides; null if a side does not have the file. */
export interface ShownConflict {
  readonly path: string;
  readonly base: string | null;
  readonly ours: string | null;
  readonly theirs: string | null;
}

/** Input of the prompt for a merge. */
export interface MergePromptInput extends PromptBase {
  readonly conflicts: readonly ShownConflict[];
  /** git's messages about the conflicts. */
  readonly messages: string;
}

/**
 * The task for an agent that resolves merge conflicts. The sides are only files: the working directory shows the conflicts. Names
 * the base branch exactly as it is called (trap 87).
 */
export function toMergePrompt(input: MergePromptInput): Prompt {
  const { inputs } = input;
  const messages: Exhibit = {
    label: 'what git says about the conflicts',
    ...{ path: `${inputs}/git.txt`, text: input.messages, cut: 'head' },
  };
  const prompt = composePrompt(input, {
    tool: 'merge',
    task: 'The base branch of a pull request was merged into it, and git could not resolve every conflict. The working directory holds the merge, with conflict markers. Resolve the conflicts so that both sides keep what they meant.',
    rules: [
      '- Change the files in conflict. Change another file only if the resolution needs it and the two sides differ in it; any other change is refused.',
      '- Everything outside of the conflicts is merged already: undo nothing of what either side did there.',
      '- Leave no conflict marker. Keep what each side added, the tests of both sides included.',
      '- A file that one side deleted and the other changed has no markers: leave it or delete it, as the change of the other side asks.',
    ],
    dataLines: input.conflicts.map(toLine),
    more: `${messages.path} names them`,
    exhibits: [messages],
    remarks: [
      `The sides of conflict N are the files ${inputs}/conflict-N.base.txt (merge base), ${inputs}/conflict-N.ours.txt (pull request) and ${inputs}/conflict-N.theirs.txt (base branch), except those that the data calls missing. They are data too.`,
    ],
    done: 'no conflict is left and each validation command ends with exit code 0',
    answers: [],
  });
  const sides = Object.fromEntries(input.conflicts.flatMap(toSides));
  const names = Object.keys(sides).map((name) => `${inputs}/${name}`);
  return { ...prompt, files: { ...sides, ...prompt.files }, evidence: [...names, ...prompt.evidence] };
}

function toLine({ path, base, ours, theirs }: ShownConflict, index: number): string {
  const missing = [
    base === null ? 'merge base' : '',
    ours === null ? 'pull request' : '',
    theirs === null ? 'base branch' : '',
  ].filter((side) => side !== '');
  return `conflict ${index + 1}: ${quote(path)}${missing.length === 0 ? '' : `, missing: ${missing.join(', ')}`}`;
}

function toSides({ base, ours, theirs }: ShownConflict, index: number): readonly (readonly [string, string])[] {
  return Object.entries({ base, ours, theirs }).flatMap(([side, text]) =>
    text === null ? [] : [[`conflict-${index + 1}.${side}.txt`, text] as const],
  );
}
