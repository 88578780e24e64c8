import { coerce, rcompare, satisfies, validRange } from 'semver';
import { isJsonObject, parseJsonObject } from '../json/parse-json-object.ts';
import { toPackageManager } from './detect-install.ts';

/** A tool of a certain version that the repository asks for. */
export interface WantedTool {
  /** Its program. */
  readonly tool: ToolName;
  /** A range of semver. */
  readonly range: string;
  /** The same as the file has it. */
  readonly text: string;
  /** The file that asks for it. */
  readonly from: string;
}

/** How the version of a tool is read. */
export const TOOLS = {
  node: ['node', '--version'],
  npm: ['npm', '--version'],
  pnpm: ['pnpm', '--version'],
  yarn: ['yarn', '--version'],
  python3: ['python3', '--version'],
  go: ['go', 'version'],
  rustc: ['rustc', '--version'],
} as const;
export type ToolName = keyof typeof TOOLS;

/** A tool as a folder has it; `folder` null: the machine's own. */
export interface FoundTool {
  readonly tool: ToolName;
  readonly version: string;
  readonly folder: string | null;
}

/** Files of the root that ask for versions. */
export const VERSION_FILES = [
  'package.json',
  '.nvmrc',
  '.node-version',
  '.python-version',
  'pyproject.toml',
  'go.mod',
  'rust-toolchain',
  'rust-toolchain.toml',
] as const;

const MAX_SHOWN = 40;

type Texts = Readonly<Record<string, string>>;

/** What the files of the root ask for. Names such as `lts/*` or `stable` ask for no version that can be compared. */
export function findWantedTools(texts: Texts): readonly WantedTool[] {
  const manifest = parseJsonObject(texts['package.json'] ?? '');
  const named = manifest?.['engines'];
  const engines = isJsonObject(named) ? named : {};
  const manager = toPackageManager(texts['package.json']);
  const asked: readonly (readonly [ToolName, unknown, string])[] = [
    ['node', engines['node'], 'package.json'],
    ['npm', engines['npm'], 'package.json'],
    ['node', texts['.nvmrc'], '.nvmrc'],
    ['node', texts['.node-version'], '.node-version'],
    ...(manager === null ? [] : ([[manager.name, manager.version, 'package.json']] as const)),
    ['python3', texts['.python-version'], '.python-version'],
    ['python3', readLine(texts['pyproject.toml'], /^requires-python\s*=\s*["']([^"'\n]+)["']/mu), 'pyproject.toml'],
    ['go', readLine(texts['go.mod'], /^go\s+(\d+\.\d+(?:\.\d+)?)\s*$/mu, '>='), 'go.mod'],
    ['go', readLine(texts['go.mod'], /^toolchain\s+go(\d+\.\d+(?:\.\d+)?)\s*$/mu, '>='), 'go.mod'],
    ['rustc', texts['rust-toolchain'], 'rust-toolchain'],
    ['rustc', readLine(texts['rust-toolchain.toml'], /^channel\s*=\s*["']([^"'\n]+)["']/mu), 'rust-toolchain.toml'],
  ];
  return asked.flatMap(([tool, text, from]) => {
    const range = typeof text === 'string' ? toRange(text) : null;
    return range === null ? [] : [{ tool, range, from, text: String(text).trim().slice(0, MAX_SHOWN) }];
  });
}

/** The first group of the pattern, with an operator before it. */
function readLine(text: string | undefined, pattern: RegExp, operator = ''): string | null {
  const [, found] = pattern.exec(text ?? '') ?? [];
  return found === undefined ? null : `${operator}${found}`;
}

/** A range of semver for what a file says; null if it names no number. Understands the forms of Python, too. */
function toRange(text: string): string | null {
  const [line = ''] = text.trim().split('\n', 1);
  const parts = line
    .replaceAll(',', ' ')
    .replaceAll(/([<>=~!^]+)\s+/gu, '$1')
    .split(' ')
    .filter((part) => part !== '' && !part.startsWith('!='))
    .map(toPart);
  return parts.length === 0 ? null : validRange(parts.join(' '));
}

function toPart(part: string): string {
  const [, major, rest] = /^~=(\d+)\.(\d+)$/u.exec(part) ?? [];
  if (major !== undefined && rest !== undefined) return `>=${major}.${rest} <${String(Number(major) + 1)}`;
  return part
    .replace(/^~=/u, '~')
    .replace(/^===?/u, '=')
    .replace(/^v(?=\d)/u, '');
}

/** The version in what a tool prints; null if there is none. */
export function toVersion(printed: string): string | null {
  const [found] = /\d+\.\d+(?:\.\d+)?/u.exec(printed) ?? [];
  return coerce(found)?.version ?? null;
}

/** Which toolchains are used, and what does not fit. */
export interface ChosenTools {
  /** Folders of programs that come before those of the machine. */
  readonly programPath: readonly string[];
  /** Sentences for people. */
  readonly notes: readonly string[];
}

/**
 * Compares what the repository asks for with what is there. The machine's own tool is used if it fits, else the newest that fits
 * of the operator's folders. A version that does not fit is said and stops nothing: `engines` are often narrower than what works,
 * and the validation decides.
 */
export function chooseTools(wanted: readonly WantedTool[], found: readonly FoundTool[]): ChosenTools {
  const tools = [...new Set(wanted.map(({ tool }) => tool))];
  const chosen = tools.map((tool) =>
    chooseTool(
      tool,
      wanted.filter((one) => one.tool === tool),
      found.filter((one) => one.tool === tool),
    ),
  );
  return {
    programPath: [...new Set(chosen.flatMap(({ programPath }) => programPath))],
    notes: chosen.flatMap(({ notes }) => notes),
  };
}

function chooseTool(name: ToolName, wanted: readonly WantedTool[], found: readonly FoundTool[]): ChosenTools {
  const fits = ({ version }: FoundTool): boolean => wanted.every(({ range }) => satisfies(version, range));
  const own = found.find(({ folder }) => folder === null);
  if (own !== undefined && fits(own)) return { programPath: [], notes: [] };
  const asked = wanted.map(({ from, text }) => `${from} asks for ${text}`).join(', and ');
  const [best] = found
    .filter((one) => one.folder !== null && fits(one))
    .toSorted((left, right) => rcompare(left.version, right.version));
  if (best !== undefined && best.folder !== null) {
    const note = `${name} ${best.version} of ${best.folder} is used: ${asked}.`;
    return { programPath: [`${best.folder}/bin`], notes: [note] };
  }
  const has = own === undefined ? `this machine has no ${name}` : `this machine has ${name} ${own.version}`;
  return {
    programPath: [],
    notes: [`${has}, but ${asked}. The operator can provide another one with RATCHET_TOOLCHAINS.`],
  };
}
