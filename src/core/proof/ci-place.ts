import { toOneLine } from '../text/escape.ts';

/** What a job of CI has that the place of a proof may lack. Untrusted texts. */
export interface CiPlace {
  /** Names of the services that run beside its steps. */
  readonly services: readonly string[];
  /** Names of the secrets that it uses. */
  readonly secrets: readonly string[];
  /** What its steps set up, with the versions that they ask for. */
  readonly tools: readonly CiTool[];
  /** Labels of its runner, as far as they name another system than Linux. */
  readonly systems: readonly string[];
  /** The image of its container; null: none. */
  readonly image: string | null;
}

export interface CiTool {
  readonly name: ToolName;
  /** As CI asks for it: a version, a range, or a name such as `lts/*`. */
  readonly version: string;
}

/** A toolchain, and the command that prints its version here. */
export const TOOL_COMMANDS = {
  Node: 'node --version',
  Python: 'python3 --version',
  Go: 'go version',
  Java: 'java -version 2>&1',
  Ruby: 'ruby --version',
  Rust: 'rustc --version',
} as const;
export type ToolName = keyof typeof TOOL_COMMANDS;

/** Actions that set a toolchain up: its name, and the input with the version; null: the version is that of the action. */
const SET_UP: readonly (readonly [RegExp, ToolName, string | null])[] = [
  [/^actions\/setup-node@/u, 'Node', 'node-version'],
  [/^actions\/setup-python@/u, 'Python', 'python-version'],
  [/^actions\/setup-go@/u, 'Go', 'go-version'],
  [/^actions\/setup-java@/u, 'Java', 'java-version'],
  [/^ruby\/setup-ruby@/u, 'Ruby', 'ruby-version'],
  [/^dtolnay\/rust-toolchain@(?=\d)/u, 'Rust', null],
];
/** An expression whose value is that of a key of the matrix. */
const OF_MATRIX = /\$\{\{\s*matrix\.([\w-]+)\s*\}\}/gu;
const MAX_NAMED = 10;
const MAX_TEXT = 100;
/** Every job has it. */
const OWN_TOKEN = 'GITHUB_TOKEN';

type Plain = Readonly<Record<string, unknown>>;

/**
 * What the jobs of these checks have, by the workflow files of the repository, which are plain data of any form. A check that may be of
 * several jobs says nothing.
 */
export function findCiPlace(workflows: readonly Plain[], checks: readonly string[]): CiPlace {
  const jobs = workflows.flatMap((workflow) =>
    Object.entries(toPlain(workflow['jobs'])).map(([id, job]) => ({ workflow, job: toPlain(job), id })),
  );
  const found = checks.flatMap((check) => {
    const own = jobs.flatMap((job) => readJob(job, check));
    return own.length === 1 ? own : [];
  });
  const tools = found.flatMap((place) => place.tools);
  return {
    services: toUnique(found.flatMap(({ services }) => services)),
    secrets: toUnique(found.flatMap(({ secrets }) => secrets)),
    systems: toUnique(found.flatMap(({ systems }) => systems)),
    tools: tools.filter((tool, index) => tools.findIndex((other) => isSame(tool, other)) === index).slice(0, MAX_NAMED),
    image: found.find(({ image }) => image !== null)?.image ?? null,
  };
}

function isSame(left: CiTool, right: CiTool): boolean {
  return left.name === right.name && left.version === right.version;
}

function readJob(
  { workflow, job, id }: { readonly workflow: Plain; readonly job: Plain; readonly id: string },
  check: string,
): readonly CiPlace[] {
  const matrix = toPlain(toPlain(job['strategy'])['matrix']);
  const keys = Object.keys(matrix).filter((key) => Array.isArray(matrix[key]));
  const values = findValues({ name: toText(job['name']) ?? id, keys }, check);
  if (values === null) return [];
  /** A value of the matrix by its place in the name of the check; what is not known stays as it is written. */
  const fill = (text: string): string => text.replaceAll(OF_MATRIX, (whole, key: string) => values.get(key) ?? whole);
  const steps = (Array.isArray(job['steps']) ? job['steps'] : []).map(toPlain);
  const labels = [job['runs-on']].flat().flatMap((label) => toText(label) ?? []);
  const container = job['container'];
  const image = toText(container) ?? toText(toPlain(container)['image']);
  return [
    {
      services: Object.keys(toPlain(job['services'])),
      secrets: findSecrets([job, workflow['env']]),
      tools: steps.flatMap((step) => toTool(step, fill)),
      systems: labels.map(fill).filter((label) => /windows|macos|arm/iu.test(label)),
      image: image === null ? null : fill(image),
    },
  ];
}

/** The values of the matrix that the name of a check shows; null: it is not a check of this job. */
function findValues(
  { name, keys }: { readonly name: string; readonly keys: readonly string[] },
  check: string,
): ReadonlyMap<string, string> | null {
  if (check === name) return new Map();
  const parts = name.split(OF_MATRIX);
  if (parts.length > 1) {
    const found = fillGaps(
      parts.filter((_, index) => index % 2 === 0),
      check,
    );
    const named = parts.filter((_, index) => index % 2 === 1);
    return found === null ? null : zip(named, found);
  }
  if (!check.startsWith(`${name} (`) || !check.endsWith(')')) return null;
  const shown = check.slice(name.length + 2, -1).split(', ');
  return shown.length === keys.length ? zip(keys, shown) : new Map();
}

function zip(keys: readonly string[], values: readonly string[]): ReadonlyMap<string, string> {
  return new Map(values.flatMap((value, at) => keys.slice(at, at + 1).map((key) => [key, value] as const)));
}

/** The texts between the parts, each as short as can be; null: the whole text is not made of the parts. */
function fillGaps([first = '', ...rest]: readonly string[], text: string): readonly string[] | null {
  if (!text.startsWith(first)) return null;
  const values: string[] = [];
  let from = first.length;
  for (const [index, part] of rest.entries()) {
    const isLast = index === rest.length - 1;
    const to = isLast ? toEnd(text, part) : text.indexOf(part, from + 1);
    if (to <= from) return null;
    values.push(text.slice(from, to));
    from = to + part.length;
  }
  return values;
}

/** Where the text ends without `part`; -1: it does not end with it. */
function toEnd(text: string, part: string): number {
  return text.endsWith(part) ? text.length - part.length : -1;
}

function toTool(step: Plain, fill: (text: string) => string): readonly CiTool[] {
  const uses = toText(step['uses']) ?? '';
  for (const [action, name, input] of SET_UP) {
    if (!action.test(uses)) continue;
    const version = input === null ? uses.replace(action, '') : toText(toPlain(step['with'])[input]);
    return version === null ? [] : [{ name, version: fill(version) }];
  }
  return [];
}

function findSecrets(parts: readonly unknown[]): readonly string[] {
  const text = JSON.stringify(parts);
  const names = [...text.matchAll(/\bsecrets\.(\w+)/gu)].map(([, name = '']) => name);
  return names.filter((name) => name.toUpperCase() !== OWN_TOKEN);
}

function toUnique(names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => toOneLine(name.slice(0, MAX_TEXT))))].slice(0, MAX_NAMED);
}

function toPlain(value: unknown): Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

/** A text or a number; YAML reads `20` as a number. */
function toText(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}
