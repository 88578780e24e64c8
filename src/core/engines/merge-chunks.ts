import type { Payload } from '../model/engine.ts';
import { ROOT_PROJECT } from '../model/project.ts';
import { type JudgedRun, type JudgeInput, judgeRun } from './judge-run.ts';

/** The raw result of one invocation. Of stderr only the end is kept. */
export type RawRun = Pick<JudgeInput, 'argv' | 'exit' | 'payload' | 'stderr'>;

/** How an invocation is judged. */
export type ChunkRules = Pick<JudgeInput, 'spec' | 'settings' | 'version'>;

type Parsed = Extract<Payload, { readonly kind: 'parsed' }>;

interface Chunk {
  readonly raw: RawRun;
  readonly error: JudgedRun['error'];
  /** Judged, see `settleExit`. */
  readonly exit: RawRun['exit'];
}

/**
 * Merges invocations that each checked a part of the targets into one run. Command line, exit and stderr are those of the worst
 * invocation (of equals, the first). Findings are concatenated, durations added. A failed part is reported even if another part's
 * findings explain its exit code. If the worst part left no readable output, the payload is its own, without the findings of the
 * others.
 */
export function mergeChunks(raws: readonly [RawRun, ...RawRun[]], rules: ChunkRules): RawRun {
  const [first, ...others] = raws;
  if (others.length === 0) return first;
  const worst = others.map((raw) => toChunk(raw, rules)).reduce(toWorse, toChunk(first, rules));
  const durationMs = raws.reduce((sum, { exit }) => sum + exit.durationMs, 0);
  return { ...worst.raw, exit: { ...worst.raw.exit, durationMs }, payload: mergePayloads(raws, worst) };
}

function toChunk(raw: RawRun, rules: ChunkRules): Chunk {
  const plan = { engine: rules.spec.id, project: ROOT_PROJECT, mode: 'target' } as const;
  const { error, exit } = judgeRun({ ...rules, ...raw, plan, cwd: '.', dependencies: 'ready' });
  return { raw, error, exit };
}

function toWorse(left: Chunk, right: Chunk): Chunk {
  return toBadness(right) > toBadness(left) ? right : left;
}

function toBadness({ raw, error, exit }: Chunk): number {
  if (exit.kind !== 'exited') return 4;
  if (error !== null) return raw.payload.kind === 'parsed' ? 2 : 3;
  return exit.exitCode === 0 ? 0 : 1;
}

function mergePayloads(raws: readonly RawRun[], worst: Chunk): Payload {
  const parsed = raws.map(({ payload }) => payload).filter((payload) => payload.kind === 'parsed');
  const isUnreadable = worst.error !== null && worst.exit.kind === 'exited' && worst.raw.payload.kind !== 'parsed';
  if (parsed.length === 0 || isUnreadable) return worst.raw.payload;
  return {
    kind: 'parsed',
    findings: parsed.flatMap(({ findings }) => findings),
    partial: parsed.find(({ partial }) => partial !== null)?.partial ?? null,
    ...toUnparsed(parsed),
    ...toNotes(parsed),
    toolFailure: worst.exit.kind === 'exited' ? toToolFailure(worst) : null,
    tests: concat(parsed.map(({ tests }) => tests)),
    coverage: toCoverage(parsed),
  };
}

/** Only if each incomplete part is complete apart from the files that it could not parse. */
function toUnparsed(parsed: readonly Parsed[]): Pick<Parsed, 'unparsed'> {
  const incomplete = parsed.filter(({ partial }) => partial !== null);
  const confined = incomplete.flatMap(({ unparsed }) => (unparsed === undefined ? [] : [unparsed]));
  return confined.length > 0 && confined.length === incomplete.length ? { unparsed: confined.flat() } : {};
}

function toNotes(parsed: readonly Parsed[]): Pick<Parsed, 'notes'> {
  const notes = [...new Set(parsed.flatMap((part) => part.notes ?? []))];
  return notes.length === 0 ? {} : { notes };
}

/** The tool's own message comes first. */
function toToolFailure({ raw, error }: Chunk): string | null {
  const said = raw.payload.kind === 'parsed' ? raw.payload.toolFailure : null;
  return said ?? error?.message ?? null;
}

function concat<Item>(lists: readonly (readonly Item[] | null)[]): readonly Item[] | null {
  const there = lists.filter((list) => list !== null);
  return there.length === 0 ? null : there.flat();
}

function toCoverage(parsed: readonly Parsed[]): Parsed['coverage'] {
  const files = concat(parsed.map(({ coverage }) => coverage?.files ?? null));
  return files === null ? null : { files };
}
