import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { createGit } from '../../src/adapters/git/create-git.ts';
import { DEFAULT_GIT_LIMITS } from '../../src/adapters/git/git-limits.ts';
import { parseRunId, parseSha, type Sha } from '../../src/core/model/ids.ts';
import type { Git, SessionRepository } from '../../src/ports/git.ts';
import type { Log } from '../../src/ports/log.ts';
import { NotMeasuredError } from '../row.ts';
import { compareNames } from './compare-names.ts';
import { GIT_ENVIRONMENT, type Repository } from './open-repository.ts';

/** Public repositories whose branches were brought up to date by merges. */
export const MERGE_CLONES = [
  'FasterXML/jackson-core',
  'apache/commons-lang',
  'eslint/eslint',
  'expressjs/express',
  'fastify/fastify',
  'javaparser/javaparser',
  'jgrapht/jgrapht',
  'jqlang/jq',
  'junit-team/junit4',
  'ninjaframework/ninja',
  'pallets/flask',
  'square/retrofit',
] as const;

/** A merge of a base branch into a branch, as a person made it and the project took it. */
export interface RealMerge {
  readonly name: string;
  readonly gitDir: string;
  readonly sha: Sha;
  readonly ours: Sha;
  readonly theirs: Sha;
}

/** The merges of one repository that are looked at, evenly over its history. */
const MAX_MERGES = 45;
const MAX_LOG_BYTES = 64 * 1024 * 1024;
/** The message of a merge of a branch that others build on. */
const INTO_BRANCH =
  /^Merge (?:remote-tracking )?branch '?[^']*\b(?:main|master|develop|dev|trunk|next|[234]\.\w+)'?(?: of \S+)?(?: into .*)?$/u;

/** All merges, by repository and commit. `missing`: repositories without a clone. */
export async function listRealMerges(
  open: (name: string) => Promise<Repository>,
): Promise<{ readonly merges: readonly RealMerge[]; readonly missing: readonly string[] }> {
  const merges: RealMerge[] = [];
  const missing: string[] = [];
  for (const name of MERGE_CLONES) {
    try {
      merges.push(...(await listMergesOf(name, (await open(name)).gitDir)));
    } catch (error) {
      if (!(error instanceof NotMeasuredError)) throw error;
      missing.push(name);
    }
  }
  if (merges.length === 0) throw new NotMeasuredError(`no clone of ${MERGE_CLONES.join(', ')}`);
  return { merges, missing };
}

async function listMergesOf(name: string, gitDir: string): Promise<readonly RealMerge[]> {
  const args = ['--git-dir', gitDir, 'log', '--branches', '--tags', '--merges', '--format=%H %P%x09%s'];
  const options = { env: GIT_ENVIRONMENT, extendEnv: false, maxBuffer: MAX_LOG_BYTES } as const;
  const { stdout } = await execa('git', args, options);
  const all = stdout.split('\n').flatMap((line) => {
    const [commits = '', subject = ''] = line.split('\t');
    const [sha, ours, theirs, ...more] = commits.split(' ');
    const isOne = sha !== undefined && ours !== undefined && theirs !== undefined && more.length === 0;
    if (!isOne || !INTO_BRANCH.test(subject)) return [];
    return [{ name, gitDir, sha: parseSha(sha), ours: parseSha(ours), theirs: parseSha(theirs) }];
  });
  const count = Math.min(MAX_MERGES, all.length);
  const chosen = Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)]);
  return chosen.filter((merge) => merge !== undefined).toSorted((left, right) => compareNames(left.sha, right.sha));
}

/** Git of the product over clones. What it writes goes to a folder of its own. */
export interface MergeGit {
  readonly git: Git;
  readonly open: (merge: RealMerge) => Promise<SessionRepository>;
  readonly close: () => void;
}

const SILENT: Log = {
  ...{ debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  child: () => SILENT,
};

export function openMergeGit(): MergeGit {
  const dataDir = mkdtempSync(join(tmpdir(), 'ratchet-eval-merges-'));
  let count = 0;
  const newId = (): string => `eval-${String((count += 1))}`;
  const git = createGit({ dataDir, limits: DEFAULT_GIT_LIMITS, clock: { now: () => 0 }, log: SILENT, newId });
  const controlDirs = new Map<string, Promise<string>>();
  return {
    git,
    open: async ({ gitDir, ours }) => {
      const controlDir = controlDirs.get(gitDir) ?? borrow(gitDir, join(dataDir, newId()));
      controlDirs.set(gitDir, controlDir);
      const mirror = { repositoryId: 1, gitDir, objectsDir: join(gitDir, 'objects') };
      return { runId: parseRunId('eval'), mirror, controlDir: await controlDir, headSha: ours };
    },
    close: () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

/** A bare repository that reads the objects of a clone, and writes none to it. */
async function borrow(gitDir: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await execa('git', ['init', '--quiet', '--bare', folder], { env: GIT_ENVIRONMENT, extendEnv: false });
  await writeFile(join(folder, 'objects', 'info', 'alternates'), `${join(gitDir, 'objects')}\n`);
  return folder;
}
