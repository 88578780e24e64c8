import {
  DECLARATION_KEYS,
  type Declared,
  ENGINE_KEYS,
  ENGINES_KEYS,
  POLICY_KEYS,
  PROJECTS_KEYS,
  type Section,
  type Setting,
} from '../src/core/model/policy.ts';

const HEADER = ['Key', 'Takes', 'Default', 'Ceiling', 'Meaning'];
const END = '\n\n<!-- end -->';
const TABLES: Readonly<Record<string, Declared>> = {
  policy: POLICY_KEYS,
  engines: ENGINES_KEYS,
  projects: PROJECTS_KEYS,
  engine: ENGINE_KEYS,
  'own tool': DECLARATION_KEYS,
};

/** Puts the references of keys into a manual: each between its mark, `<!-- keys of NAME: npm run docs:policy -->`, and an end. */
export function putKeyTables(manual: string): string {
  const [before = '', ...parts] = manual.split('<!-- keys of ');
  if (parts.length === 0) throw new Error('the manual has lost its marks');
  return before + parts.map(putTable).join('');
}

function putTable(part: string): string {
  const [head = '', rest = ''] = part.split(': npm run docs:policy -->\n\n');
  const keys = TABLES[head];
  const end = rest.indexOf(END);
  if (keys === undefined || end === -1) throw new Error(`the manual has no whole table of "${head}"`);
  return `<!-- keys of ${head}: npm run docs:policy -->\n\n${renderTable(keys)}${rest.slice(end)}`;
}

/** Without the columns that no key of this table fills. */
function renderTable(keys: Declared): string {
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
