import type { Severity } from '../model/finding.ts';

/** One way to switch a check off. */
export interface SuppressionRule {
  /** `new-suppression/NAME`, without the prefix. */
  readonly name: string;
  /** Endings of file names that it means something in, lower case; '' is a name without one. */
  readonly extensions: ReadonlySet<string>;
  /** Linear in the length of the line: every repetition is bounded or stands between characters that it cannot take. */
  readonly pattern: RegExp;
  readonly severity: Severity;
}

type Row = readonly [name: string, pattern: RegExp, severity: Severity];

/**
 * `high`: what hides a whole file, or all the other tests. A comment of its own at the margin counts for the rest of a file. Each
 * form was seen to work in the tool that reads it. A tool finds its comments in other ways than by lines; where a line alone cannot
 * tell (a comment of several lines, a string), it is told: rather once too often than hidden.
 */
const PYTHON: readonly Row[] = [
  ['noqa', /#\s*noqa\b|#\s*ruff\s*:\s*(?:ignore|disable)\b/iu, 'medium'],
  ['noqa-file', /#\s*(?:flake8|ruff)\s*[:=]\s*noqa\b|#\s*ruff\s*:\s*file-ignore\b/iu, 'high'],
  ['type-ignore', /(?:\S\s*|^\s+)#\s*type:\s*ignore\b/u, 'medium'],
  [
    'type-ignore-file',
    /^#\s*(?:type:\s*ignore\b|mypy:.*?(?:(?<![\w-])(?:ignore[-_](?:errors|missing[-_]imports)|disable[-_]error[-_]code|(?:allow|implicit|follow)[-_]\w+|no[-_](?!implicit)\w+)\b|=\s*false\b))/iu,
    'high',
  ],
  ['no-type-check', /^\s*@(?:\w{1,40}\.)?no_type_check\b/u, 'medium'],
  ['pyright-ignore', /#\s*pyright:\s*ignore\b/u, 'medium'],
  ['pyright-file', /^\s*#\s*pyright:(?:[^#]*?[\s,])?(?:basic\b|standard\b|\w{1,60}\s*=\s*(?:false|none)\b)/iu, 'high'],
  [
    'pylint-disable',
    /(?:\S\s*|^\s+)#\s*pylint:[^#]*?\bdisable(?:-msg)?\s*=|#\s*pylint:[^#]*?\bdisable-(?:next|line)\s*=/u,
    'medium',
  ],
  [
    'pylint-disable-file',
    /^#\s*pylint:[^#]*?\bdisable(?:-msg)?\s*=|#\s*pylint:\s*(?:skip-file|disable-all)\b/u,
    'high',
  ],
  ['no-cover', /#\s*pragma[:\s]?\s*no\s*(?:cover|branch)/iu, 'medium'],
  [
    'skipped-test',
    /(?:\b(?:mark|unittest)\.|@)(?:skip|skipif|skipIf|skipUnless|xfail|expectedFailure)\b(?<!^pytestmark\b.{0,200})|\b(?:pytest\.(?:skip|xfail|importorskip)|self\.skipTest)\s*\(|\braise\s+(?:unittest\.)?SkipTest\b|^\s*__test__\s*=\s*False\b|^\s*from\s+(?:pytest|unittest)\s+import\b.{0,200}\b(?:skip|skipIf|skipUnless|xfail|importorskip|expectedFailure|SkipTest)\b/u,
    'medium',
  ],
  [
    'skipped-file',
    /^pytestmark\b.{0,200}\b(?:skip|skipif|xfail)\b|\ballow_module_level\s*=\s*True\b|^collect_ignore(?:_glob)?\b/u,
    'high',
  ],
];
/** Where a comment begins, or a line of one that began before. */
const SCRIPT: readonly Row[] = [
  ['eslint-disable', /(?:\/[/*]|<!--|^)\s*eslint-disable-(?:next-)?line\b/u, 'medium'],
  [
    'eslint-disable-file',
    /(?:(?:\/\*|<!--|^)\s*eslint-disable(?![\w-])|(?:\/\*|<!--)\s*eslint\s+(?!(?:["']?[\w@/-]{1,100}["']?\s{0,5}:\s{0,5}(?:[12]|["']?(?:warn|error)["']?)\s{0,5},?\s{0,5}){1,20}(?:--|\*\/|$)))/u,
    'high',
  ],
  ['oxlint-disable', /(?:\/[/*]|^)\s*oxlint-disable-(?:next-)?line\b/u, 'medium'],
  ['oxlint-disable-file', /(?:\/[/*]|^)\s*oxlint-disable(?![\w-])/u, 'high'],
  ['ts-ignore', toTypeScriptComment('@ts-ignore'), 'medium'],
  ['ts-expect-error', toTypeScriptComment('@ts-expect-error'), 'medium'],
  ['ts-nocheck', /@ts-nocheck\b(?<=\/[/*][/*\s]*@ts-nocheck)/iu, 'high'],
  ['istanbul-ignore', /(?:\/[/*]|^)\s*istanbul\s+ignore\s+(?:if|else|next|start)\b/u, 'medium'],
  ['v8-ignore', /(?:\/[/*]|^)\s*(?:v8|node:coverage)\s+(?:ignore\s+(?:if|else|next|start)|disable)\b/u, 'medium'],
  ['c8-ignore', /(?:\/[/*]|^)\s*c8\s+(?:ignore\s+(?:if|else|next|start)|disable)\b/u, 'medium'],
  ['coverage-ignore-file', /(?:\/[/*]|^)\s*(?:istanbul|v8|c8|node:coverage)\s+ignore\s+file\b/u, 'high'],
  ['skipped-test', toTestCall('skip|skipIf|runIf|todo|fixme|fails|failing'), 'medium'],
  ['skipped-test', /(?:^|[;{}])\s*(?:xit|xtest|xdescribe)(?:\.\w{1,20}){0,3}\s*[(`]/u, 'medium'],
  ['skipped-test', /\b(?:ctx|context|task|t)\.(?:skip|todo)\s*\(/u, 'medium'],
  ['only', toTestCall('only'), 'high'],
  ['only', /(?:^|[;{}])\s*fdescribe(?:\.\w{1,20}){0,3}\s*[(`]/u, 'high'],
  [
    'only',
    /(?:^|[;{}])\s*fit(?:\.\w{1,20}){0,3}\s*(?:\(\s*["'`]|`|\(\s*[\w.]{1,60}\s*,\s*(?:async\s*)?(?:\(|function\b|\w{1,60}\s*=>))/u,
    'high',
  ],
];
const STYLE: readonly Row[] = [
  ['stylelint-disable', /(?:\/[/*]|^)\s*stylelint-disable-(?:next-)?line\b/u, 'medium'],
  ['stylelint-disable-file', /(?:\/[/*]|^)\s*stylelint-disable(?![\w-])/u, 'high'],
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

/** TypeScript looks at what a comment begins with, and at the line that a comment of several lines ends with. */
function toTypeScriptComment(word: string): RegExp {
  return new RegExp(String.raw`${word}\b(?:(?<=\/[/*][/*\s]*${word})|(?<=^[\s/*]*${word}).*\*\/)`, 'u');
}

/** A test that is told by `words` not to run as others do: as a property, by its name in brackets, on a line of its own, as an option. */
function toTestCall(words: string): RegExp {
  const test = String.raw`\b(?:it|test|describe|suite|bench|specify)(?:\.\w{1,20}){0,3}`;
  const property =
    String.raw`\s{0,20}(?:(?:\?\.|\.)\s{0,20}(?:${words})\b|(?:\?\.)?\[\s{0,20}["'` +
    '`' +
    String.raw`](?:${words})["'` +
    '`' +
    String.raw`])`;
  const name = String.raw`(?:"[^"]{0,300}"|'[^']{0,300}'|` + '`[^`]{0,300}`' + String.raw`|\w{1,60})`;
  const option = String.raw`\s{0,20}\(\s{0,20}${name}\s{0,20},\s{0,20}\{[^}]{0,200}?\b(?:${words})\s{0,20}:\s{0,20}true\b`;
  const continued = String.raw`^\s*\.(?:${words})(?:\.\w{1,20}){0,3}\s*\(\s*["'` + '`]';
  return new RegExp(`${test}(?:${property}|${option})|${continued}`, 'u');
}

const SCRIPT_NAMES = ['js', 'jsx', 'mjs', 'cjs', 'ts', 'tsx', 'mts', 'cts', 'vue', 'svelte', 'astro'] as const;

/** All that is looked for, in the order in which it is told. */
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
