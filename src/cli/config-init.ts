import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { toPolicyStarter } from '../config/policy-starter.ts';
import { toError } from '../core/model/errors.ts';
import { POLICY_PATH } from '../core/model/policy-path.ts';
import { isPolicyPath } from '../core/policy/policy-place.ts';
import { type CliResult, fail, succeed } from './cli-result.ts';

/**
 * Writes a commented `.github/ratchet.yml` into the current folder, which has to be the root of a repository. Never replaces a file,
 * and writes none beside another policy file.
 */
export async function writePolicyFile(): Promise<CliResult> {
  if (!(await isThere('.git'))) {
    return fail(2, 'ratchet: config init: this folder is not the root of a repository: there is no .git\n');
  }
  const [root, folder] = await Promise.all([listNames('.'), listNames(dirname(POLICY_PATH))]);
  const names = [...root, ...folder.map((name) => `${dirname(POLICY_PATH)}/${name}`)];
  const existing = names.find(isPolicyPath);
  if (existing !== undefined) {
    return fail(
      2,
      `ratchet: config init: ${existing} exists and is left as it is; \`ratchet config validate\` checks it\n`,
    );
  }
  try {
    await mkdir(dirname(POLICY_PATH), { recursive: true });
    await writeFile(POLICY_PATH, toPolicyStarter(), { flag: 'wx' });
  } catch (error) {
    return fail(3, `ratchet: config init: ${toError(error).message}\n`);
  }
  return succeed(`${POLICY_PATH}: written; commit it to the default branch\n`);
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function listNames(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
