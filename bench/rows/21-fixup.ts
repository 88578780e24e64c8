import { REPAIR } from '../../test/support/red-repository.ts';
import { openStory, type Story } from '../../test/support/story.ts';
import { type AppStage, startApp } from '../app-stage.ts';
import { NotMeasuredError } from '../measure.ts';
import type { OpenRow, Row, RowContext, Sample, Turn } from '../row.ts';

/** Row 21: what a fixup costs beyond its agent, its preparation, its validation and its proof. */
export const fixup: Row = {
  number: 21,
  name: 'a fixup without its agent',
  metrics: [
    {
      ...{ kind: 'time', name: 'without the agent', ours: 'fixup', target: 1.15 },
      peer: { side: 'needed', name: 'preparation, validation and proof of the same fixup' },
    },
    {
      ...{ kind: 'time', name: '… without its proof', ours: 'unproven', target: 1.15 },
      peer: { side: 'unprovenNeeded', name: 'preparation and validation of the same fixup' },
    },
    { kind: 'duration', name: 'preparation', ours: 'preparation' },
    { kind: 'duration', name: 'validation', ours: 'validation' },
    { kind: 'duration', name: 'proof', ours: 'proof' },
    { kind: 'duration', name: 'the rest: import, judgement, push', ours: 'rest' },
  ],
  open: openRow,
};

/** Of the tests of the repository. */
const VALIDATION_SECONDS = 3;
const FILES = 1_000;
const FILE_BYTES = 2_000;
const POLICY = `ci:
  settleSeconds: 1
validate:
  - node --test
  - sleep ${String(VALIDATION_SECONDS)}
`;

async function openRow({ quick }: RowContext): Promise<OpenRow> {
  const stage = await startApp({ steps: [REPAIR] });
  const files = quick ? {} : toFiles();
  return {
    notes: [
      `a red pull request of a repository with ${String(Object.keys(files).length)} files; its tests take ${String(VALIDATION_SECONDS)} s, waiting`,
      'all times are of the log of one App, which runs one fixup at a time; the scripted agent’s own time is left out',
      'preparation: from the launch until the agent starts (ground, clone, tree, sandbox); validation: with its own fresh tree and sandbox',
      'proof: the commands at the old head, where the tests have to be red, and the red one once more',
    ],
    takeTurn: (index) => takeTurn(stage, { index, files }),
    explain: async () => [],
    close: stage.close,
  };
}

function toFiles(): Readonly<Record<string, string>> {
  const text = '// a line of forty characters of comment\n'.repeat(Math.floor(FILE_BYTES / 41));
  return Object.fromEntries(
    Array.from({ length: FILES }, (_, index) => [`lib/${String(index)}.mjs`, `// ${String(index)}\n${text}`]),
  );
}

async function takeTurn(
  stage: AppStage,
  { index, files }: { readonly index: number; readonly files: Readonly<Record<string, string>> },
): Promise<Turn> {
  const story = await openStory(stage, { name: `turn-${String(index)}`, policy: POLICY, files });
  story.enable();
  const completed = await story.untilLine('fixup completed');
  if (completed['pushed'] !== true)
    throw new NotMeasuredError(`the fixup ended with ${String(completed['exitReason'])}`);
  const total = toNumber(completed['durationMs']);
  const agent = toNumber((await story.untilLine('agent ended'))['durationMs']);
  const preparation = toTime(await story.untilLine('agent started')) - (toTime(completed) - total);
  const validated = toTime(await story.untilLine('gate: validation passed'));
  const validation = validated - toTime(await story.untilLine('gate: policy passed'));
  const proof = toTime(await story.untilLine('gate: proof ended')) - validated;
  await story.untilConcluded('success');
  const needed = preparation + validation + proof;
  return {
    fixup: toSample(total - agent),
    needed: toSample(needed),
    unproven: toSample(total - agent - proof),
    unprovenNeeded: toSample(preparation + validation),
    preparation: toSample(preparation),
    validation: toSample(validation),
    proof: toSample(proof),
    rest: toSample(total - agent - needed),
  };
}

function toTime({ time }: Awaited<ReturnType<Story['untilLine']>>): number {
  return toNumber(Date.parse(String(time)));
}

function toNumber(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new NotMeasuredError('a line of the log has no time');
  return value;
}

function toSample(wallMs: number): Sample {
  return { wallMs, operations: 1, cpuUs: null };
}
