import type { EngineConfigError } from '../model/engine.ts';
import type { EngineSettings } from '../model/policy.ts';
import { toCanonicalPath } from './canonical-scope.ts';

const ROOT = '.';

/** The sources of an engine's configuration file, strongest first. */
export interface ConfigSources {
  readonly cli: string | null;
  readonly env: string | null;
  readonly policy: string | null;
}

/** What an engine runs with, equal in both modes. */
export interface ResolvedSettings {
  /** Canonical path of the file that we chose; null: the tool finds its own. Only the tool judges its content. */
  readonly configPath: string | null;
  /** Canonical. */
  readonly cwd: string;
  /** Any error switches the engine off. */
  readonly errors: readonly EngineConfigError[];
}

/** Chooses the configuration file and the folder of one engine, and reports which of them cannot be used. */
export function resolveSettings(
  engine: string,
  {
    cwd,
    config,
    root,
  }: { readonly cwd: EngineSettings['cwd']; readonly config: ConfigSources; readonly root: string | null },
  files: readonly string[],
): ResolvedSettings {
  const errors: EngineConfigError[] = [];
  const named = config.cli ?? config.env ?? config.policy;
  const configPath = named === null ? null : findPath(named, root, (path) => files.includes(path));
  if (named !== null && configPath === null) {
    const message = `its configuration file ${JSON.stringify(named)} is not a file of the repository`;
    errors.push({ engine, code: 'CONFIG_MISSING', message });
  }
  const folder = findPath(cwd ?? ROOT, root, (path) => isFolder(path, files));
  if (folder === null) {
    const message = `"cwd" is ${JSON.stringify(cwd)}, which is not a folder of the repository`;
    errors.push({ engine, code: 'INVALID_SETTING', message });
  }
  return { configPath, cwd: folder ?? ROOT, errors };
}

/** The canonical form of a path; null if it leads outside of the repository or does not exist. */
function findPath(named: string, root: string | null, exists: (path: string) => boolean): string | null {
  const path = toCanonicalPath(named, root);
  return path !== null && exists(path) ? path : null;
}

/** The root always exists. Any other folder exists if it contains a file, because git tracks no empty folders. */
function isFolder(path: string, files: readonly string[]): boolean {
  return path === ROOT || files.some((file) => file.startsWith(`${path}/`));
}
