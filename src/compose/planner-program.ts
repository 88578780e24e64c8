/**
 * The program of an agent of the kind `planner`. It runs inside the agent's site, with nothing but the rights of any agent there: it
 * asks the session's model for a plan, and carries it out in the tree around it.
 *
 *   node planner-program.mjs ROOT DIALECT < TASK
 *
 * TASK is a `PlannerTask` as JSON; `RATCHET_MODEL_ADDRESS`, `RATCHET_MODEL_TOKEN` and `RATCHET_MODEL` name the model. It prints:
 *
 *   { "type": "doing", "what", "detail" }      what happens now
 *   { "type": "plan", "steps" }              the steps of the plan, and how they ended
 *   { "type": "end", "result" }                the last line: the agent's result as JSON text
 */
import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { createPlannerModel } from '../adapters/agents/create-planner-model.ts';
import { DIALECTS } from '../core/model/model-use.ts';
import { toPlannerResult } from '../core/planner/planner-result.ts';
import { PLACE_ACTIONS } from '../pipeline/execution/actions/plan-tools.ts';
import { type PlannerEnd, runPlanner } from '../pipeline/planner/run-planner.ts';
import { parsePlannerTask, toPlanJsonSchema, tryParsePlan } from '../schemas/structured-plan.ts';
import { openPlannerWorkspace } from './open-planner-workspace.ts';

const ID_BYTES = 15;

const print = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

async function work(): Promise<PlannerEnd> {
  const [, , root = '', named = ''] = process.argv;
  const { env } = process;
  const dialect = DIALECTS.find((each) => each === named);
  if (dialect === undefined) throw new Error(`there is no dialect ${named}`);
  const { RATCHET_MODEL_ADDRESS: address = '', RATCHET_MODEL_TOKEN: token = '', RATCHET_MODEL: model = '' } = env;
  const task = parsePlannerTask(JSON.parse(await text(process.stdin)));
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort(new Error('stopped')));
  const asking = createPlannerModel(dialect, { address, token, model, maxUsd: task.budgetUsd });
  const actionTypes = [...PLACE_ACTIONS.map(({ actionType }) => actionType), 'get_user_input'];
  return runPlanner(
    {
      model: {
        ask: (turns, signal) => {
          print({ type: 'doing', what: 'thinking', detail: '' });
          return asking.ask(turns, signal);
        },
      },
      workspace: openPlannerWorkspace(root, { env, print }),
      actionTypes,
      schema: toPlanJsonSchema(actionTypes),
      parsePlan: tryParsePlan,
      newId: () => randomBytes(ID_BYTES).toString('hex'),
      tellSteps: (steps) => print({ type: 'plan', steps }),
    },
    task,
    stop.signal,
  );
}

const end = await work();
process.stdout.write(`${JSON.stringify({ type: 'end', result: toPlannerResult(end) })}\n`, () => process.exit(0));
