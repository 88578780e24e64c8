import type { EngineConfigError, EngineSettings } from '../model/engine.ts';
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

type Choice<Value> =
  | { readonly kind: 'chosen'; readonly value: Value }
  | { readonly kind: 'wrong'; readonly error: EngineConfigError };

/** Chooses the configuration file and the folder of one engine, and reports which of them cannot be used. */
export function resolveSettings(
  engine: string,
  { cwd, config }: { readonly cwd: EngineSettings['cwd']; readonly config: ConfigSources },
  files: readonly string[],
): ResolvedSettings {
  const file = chooseConfig(engine, config, files);
  const folder = chooseFolder(engine, cwd ?? ROOT, files);
  return {
    configPath: file.kind === 'chosen' ? file.value : null,
    cwd: folder.kind === 'chosen' ? folder.value : ROOT,
    errors: [file, folder].flatMap((choice) => (choice.kind === 'wrong' ? [choice.error] : [])),
  };
}

function chooseConfig(engine: string, config: ConfigSources, files: readonly string[]): Choice<string | null> {
  const named = config.cli ?? config.env ?? config.policy;
  if (named === null) return { kind: 'chosen', value: null };
  const path = toCanonicalPath(named);
  if (path !== null && files.includes(path)) return { kind: 'chosen', value: path };
  const message = `its configuration file ${JSON.stringify(named)} is not a file of the repository`;
  return { kind: 'wrong', error: { engine, code: 'CONFIG_MISSING', message } };
}

function chooseFolder(engine: string, named: string, files: readonly string[]): Choice<string> {
  const folder = toCanonicalPath(named);
  if (folder !== null && isFolder(folder, files)) return { kind: 'chosen', value: folder };
  const message = `"cwd" is ${JSON.stringify(named)}, which is not a folder of the repository`;
  return { kind: 'wrong', error: { engine, code: 'INVALID_SETTING', message } };
}

/** The root always exists. Any other folder exists if it contains a file, because git tracks no empty folders. */
function isFolder(path: string, files: readonly string[]): boolean {
  return path === ROOT || files.some((file) => file.startsWith(`${path}/`));
}
