import { type CliResult, fail, toJsonLine } from './cli-result.ts';
import { type PlanRunInput, toPathLines, withGround } from './plan-run.ts';
import { parsePlanUndoArgs } from './plan-run-args.ts';

/**
 * Runs `ratchet plan undo RUN`. Exit code 0: everything that the run did is undone, now or already; 1: something was kept; 2: there is no
 * such run, or it has not ended; 3: the environment failed. With `--json` prints `{"runId","undone","kept","remarks"}`.
 */
export async function runPlanUndo(argv: readonly string[], input: PlanRunInput): Promise<CliResult> {
  const args = parsePlanUndoArgs(argv);
  if (typeof args === 'string') return fail(2, `ratchet: plan: ${args}\n`);
  const { runId, isJson, isSandboxed } = args;
  const ask = async (): Promise<{ readonly kind: 'refused'; readonly why: string }> => ({
    kind: 'refused',
    why: 'an undo asks nothing',
  });
  return withGround(input, { isSandboxed, ask }, async (ground) => {
    const trouble = await ground.findTrouble(input.stop);
    if (trouble !== null) return fail(3, `ratchet: plan: ${trouble}\n`);
    const end = await ground.undo(runId, input.stop);
    if (typeof end === 'string') return fail(2, `ratchet: plan: ${end}\n`);
    if (end.kind === 'stopped') return fail(1, 'ratchet: plan: stopped; nothing was undone\n');
    const undone = end.kind === 'nothing' ? [] : end.back.written;
    const kept = end.kind === 'nothing' ? [] : [...end.notes.kept, ...end.back.conflicts].toSorted();
    const remarks = end.kind === 'nothing' ? ['nothing is left to undo'] : end.notes.remarks;
    const isWhole = end.kind === 'nothing' || (kept.length === 0 && end.notes.isWhole);
    const lines = [
      ...remarks,
      ...toPathLines('undone', undone),
      ...toPathLines('kept, because somebody changed it since', kept),
    ];
    const text = lines.map((line) => `${line}\n`).join('');
    const stdout = isJson ? toJsonLine({ runId, undone, kept, remarks }) : text;
    return { exitCode: isWhole ? 0 : 1, stdout, stderr: isJson ? text : '' };
  });
}
