import { chmod, mkdir, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createPlaceBrowser } from '../adapters/browser/create-place-browser.ts';
import { preparePlaywright } from '../adapters/browser/prepare-playwright.ts';
import { createBubblewrapSandbox } from '../adapters/sandbox/create-bubblewrap-sandbox.ts';
import { createUnsafeSandbox } from '../adapters/sandbox/create-unsafe-sandbox.ts';
import { prepareToolsDir } from '../adapters/sandbox/prepare-tools-dir.ts';
import { findByEnvironment, killAll } from '../adapters/sandbox/processes.ts';
import { createWorkplace } from '../adapters/workplace/create-workplace.ts';
import { createBrowserAct } from '../pipeline/execution/actions/browser-act.ts';
import { createGetUserInput } from '../pipeline/execution/actions/get-user-input.ts';
import { PLACE_ACTIONS } from '../pipeline/execution/actions/plan-tools.ts';
import { createExecutionToolRegistry } from '../pipeline/execution/execution-tool-registry.ts';
import type { OpenPlace } from '../pipeline/execution/run-on-copy.ts';
import type { AskPerson } from '../ports/ask-person.ts';
import type { ActionAdapter, ExecutionToolRegistry } from '../ports/execution.ts';
import type { RunFiles } from '../ports/plan-folders.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { Workplace } from '../ports/workplace.ts';
import { parseBrowserStep } from '../schemas/browser-task.ts';
import type { HeldLock } from '../system/hold-lock.ts';
import { removeTree } from '../system/remove-tree.ts';
import { DEFAULT_UID_BASE } from './app-parts.ts';
import type { PlanState } from './plan-state.ts';
import { SILENT } from './silent-log.ts';
import { takeUids, type UidRanges } from './take-uids.ts';

/** The places that the steps of local runs work in. */
export interface PlanPlaces {
  readonly registry: (run: Pick<RunFiles, 'keepArtifact'>) => ExecutionToolRegistry<Workplace>;
  /** Why no command can run, and what to do; null: commands run. */
  readonly findTrouble: (signal: AbortSignal) => Promise<string | null>;
  /** `root`: a copy of `folder`. */
  readonly open: (
    root: string,
    run: { readonly blobs: string; readonly runId: string; readonly folder: string },
  ) => Promise<OpenPlace>;
  readonly close: () => Promise<void>;
}

export interface PlanPlacesInput {
  readonly state: Pick<PlanState, 'copies' | 'folder' | 'newId'>;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly isRoot: boolean;
  readonly nodePath: string;
  readonly isSandboxed: boolean;
  readonly ask: AskPerson;
  /** `browser-program.mjs`. */
  readonly browserProgram: string;
}

const PASS_THROUGH_MODE = 0o711;
const PROBE_TIMEOUT_MS = 30_000;
/** Users of the sandboxes of root, above those of the App. Each process has two: for its commands and for its probe. */
const FIRST_UID = DEFAULT_UID_BASE + 1000;
const UIDS: UidRanges = {
  ...{ locks: '/run/ratchet-plans', first: FIRST_UID, each: 2, processes: 200 },
  what: 'runs of plans',
};
/** By which the processes of a run without a sandbox are found. */
const MARK = 'RATCHET_PLAN_RUN';
const BURIAL_MS = 10_000;
const PASSED_ON = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TMPDIR', 'USER', 'LOGNAME'] as const;

export function openPlanPlaces(input: PlanPlacesInput): PlanPlaces {
  const locks: HeldLock[] = [];
  let made: Promise<Sandbox> | null = null;
  const getSandbox = (): Promise<Sandbox> => (made ??= createSandbox(input, locks));
  return {
    registry: (run) =>
      createExecutionToolRegistry([
        ...PLACE_ACTIONS,
        createGetUserInput<Workplace>(input.ask),
        ...(input.isSandboxed ? [createBrowserActOf(input, run)] : []),
      ]),
    findTrouble: async (signal) => {
      const sandbox = await getSandbox();
      const found = await sandbox.probe(AbortSignal.any([signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)]));
      if (found.kind === 'ok') return null;
      return `the sandbox cannot run: ${found.why}; see \`ratchet doctor\`, or use --unsandboxed for a plan that you wrote`;
    },
    open: async (copy, { blobs, runId, folder }) => {
      const mark = `${MARK}=${runId}`;
      // A sandbox ends with its process. Without one, commands of a process that was killed may go on.
      if (!input.isSandboxed) await killAll(() => findByEnvironment(mark), BURIAL_MS);
      const sandbox = await getSandbox();
      const root = await realpath(copy);
      const slot = await sandbox.acquireSlot(AbortSignal.timeout(PROBE_TIMEOUT_MS));
      await sandbox.giveToSlot(root, slot);
      const scratch = `${root}-scratch`;
      await mkdir(scratch, { recursive: true });
      await chmod(scratch, PASS_THROUGH_MODE);
      const env = toEnvironment(input, runId);
      const place = createWorkplace({ root, repository: folder, records: blobs, scratch, sandbox, slot, env });
      return {
        place,
        close: async () => {
          sandbox.releaseSlot(slot);
          await removeTree(scratch);
        },
      };
    },
    close: async () => {
      for (const lock of locks) lock.release();
    },
  };
}

/** Without a sandbox, the pages could reach the network of the machine. */
function createBrowserActOf(
  { state, nodePath, browserProgram, variables }: PlanPlacesInput,
  { keepArtifact }: Pick<RunFiles, 'keepArtifact'>,
): ActionAdapter<Workplace> {
  const { copies, newId } = state;
  const prepare = async (): Promise<{ readonly nodePath: string; readonly program: string }> => {
    const tools = await prepareToolsDir({ dataDir: copies, nodePath, newId, programs: [browserProgram] });
    const [program = browserProgram] = tools.programPaths;
    await preparePlaywright(dirname(program));
    return { nodePath: tools.nodePath, program };
  };
  const executable = variables['RATCHET_CHROMIUM'] ?? null;
  return createBrowserAct({
    browser: createPlaceBrowser({ prepare, executable: executable === '' ? null : executable }),
    parse: parseBrowserStep,
    keep: keepArtifact,
  });
}

async function createSandbox(input: PlanPlacesInput, locks: HeldLock[]): Promise<Sandbox> {
  const { state, nodePath, isRoot, isSandboxed } = input;
  const { copies, newId } = state;
  const { toolsDir } = await prepareToolsDir({ dataDir: copies, nodePath, newId });
  const shared = { slots: 1, toolsDir, log: SILENT, newId };
  if (!isSandboxed) return createUnsafeSandbox(shared);
  const uidBase = isRoot ? await takeUids(UIDS, locks) : FIRST_UID;
  return createBubblewrapSandbox({ ...shared, uidBase, gid: uidBase, isRoot, dataDir: state.folder });
}

/** In the sandbox, commands get nothing of the person's environment. */
function toEnvironment({ isSandboxed, variables }: PlanPlacesInput, runId: string): Readonly<Record<string, string>> {
  if (isSandboxed) return { LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' };
  const passed = PASSED_ON.flatMap((name) => (variables[name] === undefined ? [] : [[name, variables[name]] as const]));
  return { ...Object.fromEntries(passed), [MARK]: runId };
}
