import { renderPlan, toMermaid } from '../core/render/render-plan.ts';
import { type CliResult, fail, succeed } from './cli-result.ts';
import { toHint } from './parse-flags.ts';
import { type Examined, examinePlan, readPlan, toErrorText, toExaminedJson } from './plan-file.ts';

/** Those that are carried out here: they run nothing. */
const ACTIONS = ['validate', 'show'] as const;
const FLAGS = ['--json', '--mermaid'];
const ALL_ACTIONS = [...ACTIONS, 'run', 'undo'];

/**
 * Runs `ratchet plan validate FILE` and `ratchet plan show FILE [--mermaid]`; `-` reads stdin. Runs nothing of the plan. Exit code 2
 * if the plan is invalid or cannot be read.
 */
export async function runPlan(
  args: readonly string[],
  input: { readonly stdin: AsyncIterable<unknown> },
): Promise<CliResult> {
  const [written, ...rest] = args.filter((arg) => arg !== '--json');
  const action = ACTIONS.find((name) => name === written);
  if (action === undefined)
    return refuse(
      `say what to do: ${ALL_ACTIONS.join(', ')}${toHint(written ?? '', ALL_ACTIONS)}; see ratchet plan --help`,
    );
  const isDrawn = action === 'show' && rest.includes('--mermaid');
  const [path, extra] = isDrawn ? rest.filter((arg) => arg !== '--mermaid') : rest;
  if (path === undefined) return refuse(`${action}: name the file of the plan, or - for stdin`);
  const unexpected = extra ?? (path.startsWith('--') ? path : undefined);
  if (unexpected !== undefined)
    return refuse(`${action}: unexpected argument ${JSON.stringify(unexpected)}${toHint(unexpected, FLAGS)}`);
  const text = await readPlan(path, input.stdin);
  if (typeof text !== 'string') return refuse(`${action}: ${text.problem}`);
  const examined = examinePlan(text);
  return action === 'validate' ? answer(examined) : show(examined, isDrawn);
}

function answer(examined: Examined): CliResult {
  return { exitCode: examined.kind === 'valid' ? 0 : 2, stdout: toExaminedJson(examined), stderr: '' };
}

function show(examined: Examined, isDrawn: boolean): CliResult {
  if (examined.kind === 'invalid') return refuse(toErrorText(examined.errors));
  return succeed(isDrawn ? toMermaid(examined.batches.flat()) : renderPlan(examined.batches));
}

function refuse(problem: string): CliResult {
  return fail(2, `ratchet: plan: ${problem}\n`);
}
