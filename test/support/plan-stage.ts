import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { z } from 'zod';
import { createPlanFolders } from '../../src/adapters/plan-folders/create-plan-folders.ts';
import type { FolderState } from '../../src/core/model/folder-state.ts';
import { BUNDLE_FOLDER } from './build-bundle.ts';
import { createTempFolder } from './git-repository.ts';
import { NEVER } from './never.ts';

const MAIN = fileURLToPath(new URL(`../../${BUNDLE_FOLDER}/main.js`, import.meta.url));

/** How the command line ended. */
export interface Ended {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder to work on, a state folder, and the real command line over both. */
export interface PlanStage {
  readonly root: string;
  readonly dir: string;
  readonly write: (files: Readonly<Record<string, string>>) => Promise<void>;
  readonly read: (path: string) => Promise<string>;
  /** Everything in the folder. */
  readonly state: () => Promise<FolderState>;
  readonly plan: (steps: readonly object[], change?: object) => Promise<string>;
  readonly ratchet: (...args: readonly string[]) => Promise<Ended>;
  /** The same, on a machine whose clock is that many milliseconds ahead; below zero: behind. */
  readonly ratchetAt: (shiftMs: number, ...args: readonly string[]) => Promise<Ended>;
  /** The same, on a machine whose clock jumps by that many milliseconds whenever somebody reads it. */
  readonly ratchetWhile: (jumpMs: number, ...args: readonly string[]) => Promise<Ended>;
  /** Starts `plan run` and kills it when stderr says `at`; returns the id of the run. */
  readonly killAt: (
    args: readonly string[],
    at: RegExp,
    signal?: NodeJS.Signals,
  ) => Promise<{ readonly runId: string } & Ended>;
  readonly remove: () => Promise<void>;
}

/** Has Node tell another time than the machine. */
function toClockEnv(shift: string): Readonly<Record<string, string>> {
  const script = `const now=Date.now;let read=0;Date.now=()=>now()+${shift}`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}

export async function createPlanStage(): Promise<PlanStage> {
  const { path: root, remove } = await createTempFolder();
  const dir = join(root, 'dir');
  await mkdir(dir);
  const options = {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: root, XDG_STATE_HOME: join(root, 'state'), SECRET: 'not for plans' },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: 120_000,
    stripFinalNewline: false,
  } as const;
  const start = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> => {
    const ended = await execa(process.execPath, [MAIN, 'plan', ...args], {
      ...options,
      env: { ...options.env, ...env },
    });
    const { exitCode, stdout, stderr } = ended;
    return { exitCode, stdout, stderr };
  };
  return {
    root,
    dir,
    write: async (files) => {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(dir, path)), { recursive: true });
        await writeFile(join(dir, path), text);
      }
    },
    read: (path) => readFile(join(dir, path), 'utf8'),
    state: async () => (await createPlanFolders().read(dir, NEVER)).state,
    plan: async (steps, change = {}) => {
      const path = join(root, 'plan.json');
      await writeFile(path, JSON.stringify({ steps, ...change }));
      return path;
    },
    ratchet: (...args) => start(args),
    ratchetAt: (shiftMs, ...args) => start(args, toClockEnv(String(shiftMs))),
    ratchetWhile: (jumpMs, ...args) => start(args, toClockEnv(`${String(jumpMs)}*++read`)),
    killAt: async (args, at, signal = 'SIGKILL') => {
      const child = execa(process.execPath, [MAIN, 'plan', ...args], options);
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (at.test(said)) child.kill(signal);
      });
      const ended = await child;
      const runId = /^run (?<id>\w+)$/mu.exec(said)?.groups?.['id'];
      if (runId === undefined) throw new Error(`no run was begun: ${said}`);
      return { runId, exitCode: ended.exitCode, stdout: ended.stdout, stderr: ended.stderr };
    },
    remove,
  };
}

/** Steps of a small plan of every kind of action that changes files. */
export const EVERY_KIND: readonly object[] = [
  { step_id: 1, action_type: 'create_file', params: { path: 'new/made.sh', content: '#!/bin/sh\n', mode: '100755' } },
  { step_id: 2, action_type: 'modify_file', depends_on: [1], params: { path: 'a', old: 'a', new: 'A' } },
  {
    step_id: 3,
    action_type: 'run_command',
    depends_on: [2],
    params: {
      argv: ['sh', '-c', 'echo half >> log; if test -e slow; then sleep 2; fi; echo whole >> log; ln -s a link'],
    },
  },
  { step_id: 4, action_type: 'delete_file', depends_on: [3], params: { path: 'sub/b' } },
  { step_id: 5, action_type: 'read_file', depends_on: [4], params: { path: 'a' } },
];

const Run = z.strictObject({
  runId: z.string(),
  results: z.record(
    z.string(),
    z.strictObject({
      state: z.string(),
      cause: z.string().nullable(),
      attempts: z.number(),
      costUsd: z.number(),
      durationMs: z.number(),
      output: z.string(),
    }),
  ),
  stats: z.record(z.string(), z.number()),
});

/** What `plan run --json` prints: these keys and no others. */
export function toRun(stdout: string): z.infer<typeof Run> {
  return Run.parse(toJson(stdout));
}

export function toJson(stdout: string): unknown {
  return JSON.parse(stdout);
}
