import { toCanonicalPath, toParents } from '../engines/canonical-scope.ts';
import { isJsonObject, type JsonObject } from '../json/parse-json-object.ts';
import { parseJsoncObject } from '../json/parse-jsonc.ts';
import { type RepositoryFacts, toFolder, toPathIn } from './repository-facts.ts';

const NAME = 'tsconfig.json';

/** What a `tsconfig.json` makes of its folder. */
export type TsFolder =
  /** The configurations to check there, the folder's own first. */
  { readonly kind: 'project'; readonly configs: readonly string[] } | { readonly kind: 'none'; readonly why: string };

/**
 * What `tsc --build` would check for the configuration of a folder, without the folders that it references: they are projects of
 * their own. A solution (`files: []` with references) stands for the configurations that it references in its own folder, and for
 * those of other names elsewhere. A missing one is kept, because the compiler has to fail for it.
 */
export function readTsFolder(folder: string, facts: RepositoryFacts): TsFolder {
  const configs: string[] = [];
  const referenced: string[] = [];
  walkReferences(toPathIn(folder, NAME), facts, (path, references) => {
    referenced.push(...references);
    if (namesFiles(path, facts)) configs.push(path);
    return references.filter((reference) => !isOwnProject(reference, folder, facts));
  });
  if (configs.length > 0) return { kind: 'project', configs };
  return {
    kind: 'none',
    why: referenced.length > 0 ? 'what it references are projects of their own' : 'it names no file',
  };
}

/**
 * Whether the configurations of a folder lead out of it, so that the compiler has something to do there although no file lies in it:
 * they name files elsewhere, or stand for a configuration that is missing, for which it has to fail.
 */
export function reachesOut(folder: string, facts: RepositoryFacts): boolean {
  const found = readTsFolder(folder, facts);
  return found.kind === 'project' && found.configs.some((config) => leadsElsewhere(config, folder, facts));
}

function leadsElsewhere(config: string, folder: string, { texts, files }: RepositoryFacts): boolean {
  if (config !== toPathIn(folder, NAME) && !files.includes(config)) return true;
  const named = ['files', 'include'].flatMap((key) => read(config, texts)?.[key] ?? []);
  return named.some((path) => typeof path === 'string' && path.startsWith('../'));
}

/** The folders whose `tsconfig.json` another one references, directly or not. */
export function findReferencedFolders(configs: readonly string[], facts: RepositoryFacts): ReadonlySet<string> {
  const found = new Set<string>();
  for (const config of configs) {
    walkReferences(config, facts, (_path, references) => {
      const fresh = references.filter((reference) => !found.has(reference));
      for (const reference of fresh) found.add(reference);
      return fresh;
    });
  }
  return new Set([...found].filter((path) => path === toPathIn(toFolder(path), NAME)).map(toFolder));
}

/** Visits a configuration, and each of those that `visit` returns of its references, once. */
function walkReferences(
  start: string,
  facts: RepositoryFacts,
  visit: (path: string, references: readonly string[]) => readonly string[],
): void {
  const seen = new Set<string>();
  const waiting = [start];
  for (const path of waiting) {
    if (seen.has(path)) continue;
    seen.add(path);
    waiting.push(...visit(path, readReferences(path, facts.texts)));
  }
}

function isOwnProject(config: string, folder: string, { texts }: RepositoryFacts): boolean {
  const own = toFolder(config);
  return own !== folder && config === toPathIn(own, NAME) && Object.hasOwn(texts, config);
}

/** Canonical paths. References out of the repository are left out. */
function readReferences(path: string, texts: RepositoryFacts['texts']): readonly string[] {
  const listed = read(path, texts)?.['references'];
  const references = Array.isArray(listed) ? listed.filter(isJsonObject) : [];
  return references.flatMap(({ path: named }) => {
    if (typeof named !== 'string') return [];
    const target = toCanonicalPath(`${toFolder(path)}/${named}`);
    if (target === null) return [];
    return [target.endsWith('.json') ? target : toPathIn(target, NAME)];
  });
}

/** Whether it checks files of its own. It does if nothing says otherwise. */
function namesFiles(path: string, { texts }: Pick<RepositoryFacts, 'texts'>): boolean {
  const files = findInherited(path, 'files', texts);
  const include = findInherited(path, 'include', texts);
  const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
  return isEmpty(files) ? Array.isArray(include) && include.length > 0 : !(isEmpty(include) && files === undefined);
}

/** The value of a key in a configuration, or in the nearest one that it extends. A ring of `extends` has none. */
function findInherited(
  path: string,
  key: string,
  texts: RepositoryFacts['texts'],
  section: 'compilerOptions' | null = null,
): unknown {
  const seen = new Set<string>();
  const find = (at: string): unknown => {
    const config = seen.has(at) ? null : read(at, texts);
    if (config === null) return undefined;
    seen.add(at);
    const own = section === null ? config : config[section];
    if (isJsonObject(own) && Object.hasOwn(own, key)) return own[key];
    const bases = [config['extends'] ?? []].flat().filter((base) => typeof base === 'string');
    for (const base of bases.toReversed()) {
      const value = find(toBasePath(at, base));
      if (value !== undefined) return value;
    }
    return undefined;
  };
  return find(path);
}

/** Only files of the repository are followed, not packages. */
function toBasePath(path: string, base: string): string {
  const target = base.startsWith('.') ? toCanonicalPath(`${toFolder(path)}/${base}`) : null;
  if (target === null) return '';
  return target.endsWith('.json') ? target : `${target}.json`;
}

function read(path: string, texts: RepositoryFacts['texts']): JsonObject | null {
  const text = Object.hasOwn(texts, path) ? (texts[path] ?? null) : null;
  return text === null ? null : parseJsoncObject(text);
}

/** Where the folder of a configuration is, as the compiler sees it. */
export interface TsPlace {
  /** Absolute path of the repository. */
  readonly root: string;
}

/**
 * A configuration that checks the same files as one with references, against the sources of what it references. The compiler would
 * otherwise want their declarations, which only a build writes. null: it has no references or no files, and can be used as it is.
 */
export function toSourceConfig(path: string, { root }: TsPlace, facts: Pick<RepositoryFacts, 'texts'>): string | null {
  const { texts } = facts;
  if (readReferences(path, texts).length === 0 || !namesFiles(path, facts)) return null;
  const folder = toFolder(path);
  const toAbsolute = (relative: string): string => (relative === '.' ? root : `${root}/${relative}`);
  const options = (key: string): unknown => findInherited(path, key, texts, 'compilerOptions');
  const namesNothing = ['files', 'include'].every((key) => findInherited(path, key, texts) === undefined);
  const typeRoots = [folder, ...toParents(folder)].map((up) => `${toAbsolute(up)}/node_modules/@types`);
  return JSON.stringify({
    extends: toAbsolute(path),
    compilerOptions: {
      composite: false,
      // Sources of other folders are part of the program.
      rootDir: '/',
      // A composite project writes declarations, which has errors of its own.
      ...(options('composite') === true && options('declaration') === undefined ? { declaration: true } : {}),
      ...(options('typeRoots') === undefined ? { typeRoots } : {}),
    },
    ...(namesNothing ? { include: [`${toAbsolute(folder)}/**/*`] } : {}),
  });
}
