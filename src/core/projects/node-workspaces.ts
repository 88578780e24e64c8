import { toParents } from '../engines/canonical-scope.ts';
import { createGlobMatcher } from '../engines/glob-matcher.ts';
import { isJsonObject, parseJsonObject } from '../json/parse-json-object.ts';
import { isForeign, isInstalled, type RepositoryFacts, toFolder, toName, toPathIn } from './repository-facts.ts';

/** The packages of npm in a repository. */
export interface NodePackages {
  /** The folder of the nearest `package.json` at or above a folder; null if there is none. */
  readonly findPackage: (folder: string) => string | null;
  /** Why nothing installs the package in a folder; null if something does. */
  readonly findObstacle: (folder: string) => string | null;
  /** Whether a list of workspaces names the package in a folder. */
  readonly isMember: (folder: string) => boolean;
}

const LOCKFILES = ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb'];
const PNPM_FILES = ['pnpm-workspace.yaml', 'pnpm-workspace.yml'];

/** Reads the lists of workspaces of npm, yarn and pnpm. */
export function readNodePackages({ files, texts }: RepositoryFacts): NodePackages {
  const packages = new Set(files.filter((path) => toName(path) === 'package.json' && !isInstalled(path)).map(toFolder));
  const locked = new Set(files.filter((path) => LOCKFILES.includes(toName(path))).map(toFolder));
  const lists = new Map(
    [...packages, '.'].flatMap((folder) => {
      const globs = readWorkspaces(folder, texts);
      return globs === null ? [] : [[folder, createMemberMatcher(folder, globs)] as const];
    }),
  );
  const findPackage: NodePackages['findPackage'] = (folder) =>
    [folder, ...toParents(folder)].find((above) => packages.has(above)) ?? null;
  const isMember = (folder: string): boolean => toParents(folder).some((above) => lists.get(above)?.(folder) === true);
  return {
    findPackage,
    isMember,
    findObstacle: (folder) => {
      if (folder === '.' || locked.has(folder) || isMember(folder)) return null;
      if (isForeign(folder)) return 'it is in a folder of fixtures or of code of others';
      const above = toParents(folder).find((up) => lists.has(up));
      return above === undefined ? null : `it is no workspace of ${toPathIn(above, 'package.json')}`;
    },
  };
}

/** The globs of the workspaces in a folder's manifest; null if it has no such list. */
function readWorkspaces(folder: string, texts: RepositoryFacts['texts']): readonly string[] | null {
  const pnpm = PNPM_FILES.map((name) => texts[toPathIn(folder, name)] ?? null).find((text) => text !== null);
  if (pnpm !== undefined) return readPnpmPackages(pnpm);
  const listed = parseJsonObject(texts[toPathIn(folder, 'package.json')] ?? '')?.['workspaces'];
  const globs = isJsonObject(listed) ? listed['packages'] : listed;
  return Array.isArray(globs) ? globs.filter((glob) => typeof glob === 'string') : null;
}

/** The list `packages` of a pnpm-workspace.yaml, in block or flow style. */
function readPnpmPackages(text: string): readonly string[] | null {
  const [, after] = text.replaceAll(/(?:^|\s)#.*$/gmu, '').split(/^packages\s*:/mu, 2);
  if (after === undefined) return null;
  // The next key ends the list.
  const list = after.split(/\n(?=[^\s-])/u, 1).join('');
  return [...list.matchAll(/'[^'\n]*'|"[^"\n]*"|[^\s,[\]'"-][^\s,[\]'"]*/gu)].map(([word]) =>
    word.replaceAll(/^['"]|['"]$/gu, ''),
  );
}

/** Whether a folder below `root` is a member: the last of the globs that match it is not negated. */
function createMemberMatcher(root: string, globs: readonly string[]): (folder: string) => boolean {
  const rules = globs.map((glob) => {
    const isNegated = glob.startsWith('!');
    const plain = glob
      .replace(/^!/u, '')
      .replace(/^\.?\//u, '')
      .replace(/\/+$/u, '');
    return { isNegated, matches: createGlobMatcher([plain]) };
  });
  return (folder) => {
    const relative = root === '.' ? folder : folder.slice(root.length + 1);
    return rules.findLast(({ matches }) => matches(relative))?.isNegated === false;
  };
}
