import {
  DECLARATION_KEYS,
  type Declared,
  ENGINE_KEYS,
  ENGINES_KEYS,
  POLICY_KEYS,
  PROJECTS_KEYS,
  type Section,
  type Setting,
} from '../../src/core/model/policy.ts';

const HEADER = ['Key', 'Takes', 'Default', 'Ceiling', 'Meaning'];
/** The tables of keys, by the name in their mark. */
export const KEY_TABLES: Readonly<Record<string, Declared>> = {
  policy: POLICY_KEYS,
  engines: ENGINES_KEYS,
  projects: PROJECTS_KEYS,
  engine: ENGINE_KEYS,
  'own tool': DECLARATION_KEYS,
};

/** A reference of keys, without the columns that no key of this table fills. */
export function renderKeyTable(keys: Declared): string {
  const rows = Object.entries(keys).flatMap(([name, declared]) => toRows(name, declared));
  const all = [HEADER, HEADER.map(() => '---'), ...rows];
  const isUsed = HEADER.map((_, column) => rows.some((row) => row[column] !== ''));
  return all.map((cells) => `| ${cells.filter((_, column) => isUsed[column]).join(' | ')} |`).join('\n');
}

function toRows(name: string, declared: Setting | Section): readonly (readonly string[])[] {
  if (!('keys' in declared)) {
    return [[`\`${name}\``, toTaken(declared), toDefault(declared), toCeiling(declared), declared.doc]];
  }
  const inner = Object.entries(declared.keys).flatMap(([key, setting]) => toRows(`${name}.${key}`, setting));
  return [[`**\`${name}\`**`, '', '', '', declared.doc], ...inner];
}

const KINDS: Readonly<Record<Exclude<Setting['kind'], 'number' | 'choice'>, string>> = {
  switch: '`true` or `false`',
  label: 'a label',
  ownLabel: 'a label',
  checkNames: 'names',
  nameGlobs: 'globs of names',
  logins: 'globs of logins',
  hosts: 'host names',
  pathGlobs: 'globs of paths',
  commands: 'a command, or several',
  regenerables: 'list of `path`, `command`',
  engines: '[engines.md](engines.md)',
  text: 'text',
  path: 'a path',
  paths: 'paths',
  arguments: 'list of arguments',
  program: 'list: program and arguments',
  variables: 'variables by name',
  exitCodes: 'lists of exit codes',
  codes: 'list of exit codes',
};

function toTaken(setting: Setting): string {
  if (setting.kind === 'number') return `${String(setting.min)} to ${String(setting.max)}`;
  return setting.kind === 'choice' ? setting.values.map(toCode).join(', ') : KINDS[setting.kind];
}

function toCeiling({ ceiling }: Setting): string {
  if (ceiling === undefined) return '';
  if (ceiling === 'any') return 'any value';
  if ('only' in ceiling) return `only ${toCode(ceiling.only)}`;
  return Object.keys(ceiling.each)
    .map((name) => `\`${name}\``)
    .join(', ');
}

function toDefault({ nullable, default: value }: Setting): string {
  return nullable === 'unset' ? '' : toCode(value);
}

function toCode(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
