import type { Severity } from '../model/finding.ts';

/** One way to switch off a check. */
export interface SuppressionRule {
  /** Without the prefix of `new-suppression/NAME`. */
  readonly name: string;
  /** File extensions in which it has a meaning, lower case; '' is a name without one. */
  readonly extensions: ReadonlySet<string>;
  /** Linear in the length of the line: every repetition is bounded, or delimited by characters that it cannot match. */
  readonly pattern: RegExp;
  readonly severity: Severity;
}

type Row = readonly [name: string, pattern: RegExp, severity: Severity];

/** How comments begin: in scripts and style sheets, and also in markup. */
const SLASHES = /\/[/*]/u;
const SLASHES_OR_MARKUP = /\/[/*]|<!--/u;
const QUOTE = /["'`]/u.source;

/**
 * `high`: hides a whole file, or all other tests. A comment alone at the left margin applies to the rest of a file. Each form was
 * verified with the tool that reads it. Tools do not find comments by lines; if a line alone is ambiguous (a comment of several
 * lines, a string), it is reported: a false report is better than a missed one.
 */
const PYTHON: readonly Row[] = [
  ['noqa', anyOf(/#\s*noqa\b/iu, /#\s*ruff\s*:\s*(?:ignore|disable)\b/iu), 'medium'],
  ['noqa-file', anyOf(/#\s*(?:flake8|ruff)\s*[:=]\s*noqa\b/iu, /#\s*ruff\s*:\s*file-ignore\b/iu), 'high'],
  ['type-ignore', /(?:\S\s*|^\s+)#\s*type:\s*ignore\b/u, 'medium'],
  [
    'type-ignore-file',
    anyOf(
      /^#\s*type:\s*ignore\b/iu,
      /^#\s*mypy:.*?(?<![\w-])(?:ignore[-_](?:errors|missing[-_]imports)|disable[-_]error[-_]code)\b/iu,
      /^#\s*mypy:.*?(?<![\w-])(?:(?:allow|implicit|follow)[-_]\w+|no[-_](?!implicit)\w+)\b/iu,
      /^#\s*mypy:.*?=\s*false\b/iu,
    ),
    'high',
  ],
  ['no-type-check', /^\s*@(?:\w{1,40}\.)?no_type_check\b/u, 'medium'],
  ['pyright-ignore', /#\s*pyright:\s*ignore\b/u, 'medium'],
  ['pyright-file', /^\s*#\s*pyright:(?:[^#]*?[\s,])?(?:basic\b|standard\b|\w{1,60}\s*=\s*(?:false|none)\b)/iu, 'high'],
  [
    'pylint-disable',
    anyOf(/(?:\S\s*|^\s+)#\s*pylint:[^#]*?\bdisable(?:-msg)?\s*=/u, /#\s*pylint:[^#]*?\bdisable-(?:next|line)\s*=/u),
    'medium',
  ],
  [
    'pylint-disable-file',
    anyOf(/^#\s*pylint:[^#]*?\bdisable(?:-msg)?\s*=/u, /#\s*pylint:\s*(?:skip-file|disable-all)\b/u),
    'high',
  ],
  ['no-cover', /#\s*pragma[:\s]?\s*no\s*(?:cover|branch)/iu, 'medium'],
  [
    'skipped-test',
    anyOf(
      // A mark of the whole file belongs to `skipped-file`.
      /(?:\b(?:mark|unittest)\.|@)(?:skip|skipif|skipIf|skipUnless|xfail|expectedFailure)\b(?<!^pytestmark\b.{0,200})/u,
      /\b(?:pytest\.(?:skip|xfail|importorskip)|self\.skipTest)\s*\(/u,
      /\braise\s+(?:unittest\.)?SkipTest\b/u,
      /^\s*__test__\s*=\s*False\b/u,
      /^\s*from\s+(?:pytest|unittest)\s+import\b.{0,200}\b(?:skip|skipIf|skipUnless|xfail|importorskip|expectedFailure|SkipTest)\b/u,
    ),
    'medium',
  ],
  [
    'skipped-file',
    anyOf(
      /^pytestmark\b.{0,200}\b(?:skip|skipif|xfail)\b/u,
      /\ballow_module_level\s*=\s*True\b/u,
      /^collect_ignore(?:_glob)?\b/u,
    ),
    'high',
  ],
];
const SCRIPT: readonly Row[] = [
  ['eslint-disable', inComment(/eslint-disable-(?:next-)?line\b/u, SLASHES_OR_MARKUP), 'medium'],
  [
    'eslint-disable-file',
    anyOf(
      inComment(/eslint-disable(?![\w-])/u, /\/\*|<!--/u),
      // Settings of rules, except a list that only turns rules on.
      /(?:\/\*|<!--)\s*eslint\s+(?!(?:["']?[\w@/-]{1,100}["']?\s{0,5}:\s{0,5}(?:[12]|["']?(?:warn|error)["']?)\s{0,5},?\s{0,5}){1,20}(?:--|\*\/|$))/u,
    ),
    'high',
  ],
  ['oxlint-disable', inComment(/oxlint-disable-(?:next-)?line\b/u), 'medium'],
  ['oxlint-disable-file', inComment(/oxlint-disable(?![\w-])/u), 'high'],
  ['ts-ignore', toTypeScriptComment('@ts-ignore'), 'medium'],
  ['ts-expect-error', toTypeScriptComment('@ts-expect-error'), 'medium'],
  ['ts-nocheck', /@ts-nocheck\b(?<=\/[/*][/*\s]*@ts-nocheck)/iu, 'high'],
  ['istanbul-ignore', inComment(/istanbul\s+ignore\s+(?:if|else|next|start)\b/u), 'medium'],
  ['v8-ignore', inComment(/(?:v8|node:coverage)\s+(?:ignore\s+(?:if|else|next|start)|disable)\b/u), 'medium'],
  ['c8-ignore', inComment(/c8\s+(?:ignore\s+(?:if|else|next|start)|disable)\b/u), 'medium'],
  ['coverage-ignore-file', inComment(/(?:istanbul|v8|c8|node:coverage)\s+ignore\s+file\b/u), 'high'],
  ['skipped-test', toTestCall('skip|skipIf|runIf|todo|fixme|fails|failing'), 'medium'],
  ['skipped-test', /(?:^|[;{}])\s*(?:xit|xtest|xdescribe)(?:\.\w{1,20}){0,3}\s*[(`]/u, 'medium'],
  ['skipped-test', /\b(?:ctx|context|task|t)\.(?:skip|todo)\s*\(/u, 'medium'],
  ['only', toTestCall('only'), 'high'],
  ['only', /(?:^|[;{}])\s*fdescribe(?:\.\w{1,20}){0,3}\s*[(`]/u, 'high'],
  [
    'only',
    anyOf(
      /(?:^|[;{}])\s*fit(?:\.\w{1,20}){0,3}\s*(?:\(\s*["'`]|`)/u,
      /(?:^|[;{}])\s*fit(?:\.\w{1,20}){0,3}\s*\(\s*[\w.]{1,60}\s*,\s*(?:async\s*)?(?:\(|function\b|\w{1,60}\s*=>)/u,
    ),
    'high',
  ],
];
const STYLE: readonly Row[] = [
  ['stylelint-disable', inComment(/stylelint-disable-(?:next-)?line\b/u), 'medium'],
  ['stylelint-disable-file', inComment(/stylelint-disable(?![\w-])/u), 'high'],
];
const BIOME: readonly Row[] = [
  ['biome-ignore', /(?:\/[/*]|#|<!--|^)[\s*]*biome-ignore(?![\w-])/u, 'medium'],
  ['biome-ignore-file', /(?:\/[/*]|#|<!--|^)[\s*]*biome-ignore-(?:all|start)\b/u, 'high'],
];
const SHELL: readonly Row[] = [['shellcheck-disable', /#\s*shellcheck\s+(?:\S{1,100}\s+){0,3}disable=/u, 'medium']];
const GO: readonly Row[] = [
  ['nolint', /\/\/\s*(?:nolint\b|lint:ignore\b|#nosec\b)/u, 'medium'],
  ['nolint-file', /\/\/\s*lint:file-ignore\b/u, 'high'],
  ['skipped-test', /(?:\b(?:[tbf]|tb|tt)|\.T\(\))\.Skip(?:f|Now)?\s*\(/u, 'medium'],
];
const RUST: readonly Row[] = [
  ['allow', /#\[\s*(?:cfg_attr\s*\(.{0,200}?[\s,])?(?:allow|expect)\s*\(/u, 'medium'],
  ['allow-file', /#!\[\s*(?:cfg_attr\s*\(.{0,200}?[\s,])?(?:allow|expect)\s*\(/u, 'high'],
  ['skipped-test', /#\[\s*(?:cfg_attr\s*\(.{0,200}?[\s,])?ignore\s*[\]=)]/u, 'medium'],
];

/** Any of several forms, with the flags of the first. */
function anyOf(...forms: readonly RegExp[]): RegExp {
  return new RegExp(forms.map(({ source }) => source).join('|'), forms[0]?.flags);
}

/** A directive at the start of a comment, or at the start of a line inside a longer comment. */
function inComment(directive: RegExp, opening: RegExp = SLASHES): RegExp {
  return new RegExp(String.raw`(?:${opening.source}|^)\s*${directive.source}`, directive.flags);
}

/** TypeScript reads the start of a comment, and the last line of a comment of several lines. */
function toTypeScriptComment(word: string): RegExp {
  return new RegExp(String.raw`${word}\b(?:(?<=\/[/*][/*\s]*${word})|(?<=^[\s/*]*${word}).*\*\/)`, 'u');
}

/** A test call with one of `words`, which keeps the test from running normally. */
function toTestCall(words: string): RegExp {
  const test = /\b(?:it|test|describe|suite|bench|specify)(?:\.\w{1,20}){0,3}/u.source;
  const name = /(?:"[^"]{0,300}"|'[^']{0,300}'|`[^`]{0,300}`|\w{1,60})/u.source;
  const forms = {
    property: String.raw`${test}\s{0,20}(?:\?\.|\.)\s{0,20}(?:${words})\b`,
    inBrackets: String.raw`${test}\s{0,20}(?:\?\.)?\[\s{0,20}${QUOTE}(?:${words})${QUOTE}\]`,
    option: String.raw`${test}\s{0,20}\(\s{0,20}${name}\s{0,20},\s{0,20}\{[^}]{0,200}?\b(?:${words})\s{0,20}:\s{0,20}true\b`,
    onLineOfItsOwn: String.raw`^\s*\.(?:${words})(?:\.\w{1,20}){0,3}\s*\(\s*${QUOTE}`,
  };
  return new RegExp(Object.values(forms).join('|'), 'u');
}

const SCRIPT_NAMES = ['js', 'jsx', 'mjs', 'cjs', 'ts', 'tsx', 'mts', 'cts', 'vue', 'svelte', 'astro'] as const;

/** All rules, in the order of reporting. */
export const SUPPRESSION_RULES: readonly SuppressionRule[] = [
  ...toRules(PYTHON, ['py', 'pyi', 'pyw', 'pyx', 'ipynb']),
  ...toRules(SCRIPT, SCRIPT_NAMES),
  ...toRules(STYLE, ['css', 'scss', 'sass', 'less', 'pcss', 'html', ...SCRIPT_NAMES]),
  ...toRules(BIOME, ['css', 'json', 'jsonc', 'graphql', 'gql', 'html', 'grit', ...SCRIPT_NAMES]),
  ...toRules(SHELL, ['sh', 'bash', 'ksh', 'dash', 'zsh', 'bats', '']),
  ...toRules(GO, ['go']),
  ...toRules(RUST, ['rs']),
];

function toRules(rows: readonly Row[], extensions: readonly string[]): readonly SuppressionRule[] {
  return rows.map(([name, pattern, severity]) => ({ name, pattern, severity, extensions: new Set(extensions) }));
}

/** The rules for a file, by its extension. */
export function findRules(path: string): readonly SuppressionRule[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const extension = /\.(?<extension>[^.]*)$/u.exec(name)?.groups?.['extension']?.toLowerCase() ?? '';
  return SUPPRESSION_RULES.filter(({ extensions }) => extensions.has(extension));
}
