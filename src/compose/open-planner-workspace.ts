import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { createUnsafeSandbox } from '../adapters/sandbox/create-unsafe-sandbox.ts';
import { createWorkplace } from '../adapters/workplace/create-workplace.ts';
import { listFiles } from '../adapters/workplace/list-files.ts';
import { toStepKey } from '../core/execution/step-key.ts';
import { WorkplaceError } from '../core/model/errors.ts';
import type { StructuredStep } from '../core/model/structured-plan.ts';
import { PLACE_ACTIONS } from '../pipeline/execution/actions/plan-tools.ts';
import { executePlan } from '../pipeline/execution/execute-plan.ts';
import { createExecutionToolRegistry } from '../pipeline/execution/execution-tool-registry.ts';
import type { PlannerWorkspace } from '../ports/planner.ts';
import type { Workplace } from '../ports/workplace.ts';
import { SILENT } from './silent-log.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const MAX_CONCURRENT = 4;
const MAX_SHOWN_BYTES = 96 * 1024;
const UNDO_MS = 5 * 60_000;
/** No command of a plan gets what the model is called with, nor the home of the program. */
const WITHHELD = /^(?:RATCHET_|HOME$)/u;

/**
 * The tree of the site that this process runs in. Its commands need no further sandbox: they are in the agent's, with the rights that
 * the shell of any other agent has.
 */
export function openPlannerWorkspace(
  root: string,
  { env, print }: { readonly env: Variables; readonly print: (line: object) => void },
): PlannerWorkspace {
  let opened: Promise<Workplace> | null = null;
  const open = (): Promise<Workplace> => (opened ??= openWorkplace(root, env));
  return {
    list: async (signal) => {
      await open();
      return listFiles(root, await makeFolder(env), signal);
    },
    readText: async (path) => {
      const place = await open();
      try {
        return decode(await place.readFile(path, MAX_SHOWN_BYTES));
      } catch (error) {
        if (error instanceof WorkplaceError) return null;
        throw error;
      }
    },
    execute: async (plan, signal) => {
      const place = await open();
      const record = await place.recordAll(signal);
      const byKey = new Map(plan.steps.map((step) => [toStepKey(step.step_id), step]));
      const result = await executePlan(plan, {
        ...{ registry: createExecutionToolRegistry(PLACE_ACTIONS), place, signal },
        ...{ clock: { now: () => Date.now() }, maxConcurrent: MAX_CONCURRENT },
        watch: (change) => {
          const step = byKey.get(change.key);
          if (change.kind === 'started' && step !== undefined) print({ type: 'doing', ...toDoing(step) });
        },
      });
      return {
        result,
        undo: async () => {
          const { ignored } = await place.restoreAll(record, AbortSignal.timeout(UNDO_MS));
          return ignored.length === 0 ? null : ignored.join(', ');
        },
      };
    },
  };
}

async function openWorkplace(root: string, env: Variables): Promise<Workplace> {
  const passed = Object.entries(env).filter(([name, value]) => !WITHHELD.test(name) && value !== undefined);
  const [records, scratch] = [await makeFolder(env), await makeFolder(env)];
  const newId = (): string => randomBytes(12).toString('hex');
  // The folder above `bin/node`.
  const toolsDir = dirname(dirname(process.execPath));
  return createWorkplace({
    ...{ root, records, scratch, repository: root },
    sandbox: createUnsafeSandbox({ slots: 1, toolsDir, log: SILENT, newId }),
    slot: { index: 0, uid: null, gid: null },
    env: Object.fromEntries(passed.map(([name, value]) => [name, value ?? ''])),
  });
}

/** In the home of the agent, which is new for each run, and counts to its disk quota. */
function makeFolder({ HOME: home = '/tmp' }: Variables): Promise<string> {
  return mkdtemp(join(home, 'planner-'));
}

function decode(bytes: Uint8Array | null): string | null {
  if (bytes === null || bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function toDoing({ action_type, params }: StructuredStep): { readonly what: string; readonly detail: string } {
  const { argv, path } = params;
  if (Array.isArray(argv)) return { what: 'running', detail: argv.join(' ') };
  return { what: action_type === 'read_file' ? 'reading' : 'editing', detail: typeof path === 'string' ? path : '' };
}
