import { POLICY_KEYS, type Section, type Setting } from '../src/core/model/policy.ts';

const HEADER = ['Key', 'Takes', 'Default', 'Ceiling', 'Meaning'];
const BEGIN = '<!-- made from the declaration of the keys: npm run docs:policy -->\n\n';
const END = '\n\n<!-- end -->';

/** Puts the reference of all keys into the manual, between its two marks. */
export function putPolicyTable(manual: string): string {
  const [before, rest] = manual.split(BEGIN);
  const after = rest?.slice(rest.indexOf(END));
  if (before === undefined || after?.startsWith(END) !== true) throw new Error('docs/policy.md has lost its marks');
  return `${before}${BEGIN}${renderTable()}${after}`;
}

function renderTable(): string {
  const rows = Object.entries(POLICY_KEYS).flatMap(([name, declared]) => toRows(name, declared));
  const all = [HEADER, HEADER.map(() => '---'), ...rows];
  return all.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function toRows(name: string, declared: Setting | Section): readonly (readonly string[])[] {
  if (!('keys' in declared)) {
    return [[`\`${name}\``, toTaken(declared), toCode(declared.default), toCeiling(declared), declared.doc]];
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
  pathGlobs: 'globs of paths',
  commands: 'a command, or several',
  regenerables: 'list of `path`, `command`',
  engines: '[engines.md](engines.md)',
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

function toCode(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
