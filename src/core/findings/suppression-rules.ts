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

/** `high`: what hides a whole file, or all the other tests. A comment of its own at the margin counts for the rest of a file. */
const PYTHON: readonly Row[] = [
  ['noqa', /#\s*noqa\b/iu, 'medium'],
  ['noqa-file', /#\s*(?:flake8|ruff)\s*[:=]\s*noqa\b/iu, 'high'],
  ['type-ignore', /(?:\S\s*|^\s+)#\s*type:\s*ignore\b/u, 'medium'],
  ['type-ignore-file', /^#\s*(?:type:\s*ignore|mypy:\s*(?:ignore-errors|disable-error-code))\b/u, 'high'],
  ['pyright-ignore', /#\s*pyright:\s*ignore\b/u, 'medium'],
  ['pyright-file', /^\s*#\s*pyright:\s*(?:basic\b|\w{1,60}\s*=\s*(?:false|none)\b)/iu, 'high'],
  ['pylint-disable', /(?:\S\s*|^\s+)#\s*pylint:\s*disable\s*=|#\s*pylint:\s*disable-(?:next|line)\s*=/u, 'medium'],
  ['pylint-disable-file', /^#\s*pylint:\s*disable\s*=|#\s*pylint:\s*skip-file\b/u, 'high'],
  ['no-cover', /#\s*pragma:\s*no\s?(?:cover|branch)\b/iu, 'medium'],
  [
    'skipped-test',
    /(?:\b(?:pytest\.mark|unittest)\.|@)(?:skip|skipif|skipIf|skipUnless|xfail|expectedFailure)\b|\b(?:pytest\.(?:skip|xfail)|self\.skipTest)\s*\(/u,
    'medium',
  ],
  ['skipped-file', /^pytestmark\b.{0,200}\b(?:skip|skipif|xfail)\b|\ballow_module_level\s*=\s*True\b/u, 'high'],
];
const SCRIPT: readonly Row[] = [
  ['eslint-disable', /(?:\/[/*]|<!--)\s*eslint-disable-(?:next-)?line\b/u, 'medium'],
  [
    'eslint-disable-file',
    /(?:\/\*|<!--)\s*eslint(?:-disable(?![\w-])|\s+[\w@/-]{1,100}\s*:\s*\[?\s*(?:0|["']?off))/u,
    'high',
  ],
  ['oxlint-disable', /\/[/*]\s*oxlint-disable-(?:next-)?line\b/u, 'medium'],
  ['oxlint-disable-file', /\/[/*]\s*oxlint-disable(?![\w-])/u, 'high'],
  ['ts-ignore', /\/(?:\/|\*{1,2})\s*@ts-ignore\b/u, 'medium'],
  ['ts-expect-error', /\/(?:\/|\*{1,2})\s*@ts-expect-error\b/u, 'medium'],
  ['ts-nocheck', /\/(?:\/|\*{1,2})\s*@ts-nocheck\b/u, 'high'],
  ['istanbul-ignore', /\/[/*]\s*istanbul\s+ignore\s+(?:if|else|next|start)\b/u, 'medium'],
  ['v8-ignore', /\/[/*]\s*v8\s+ignore\s+(?:if|else|next|start)\b/u, 'medium'],
  ['c8-ignore', /\/[/*]\s*c8\s+ignore\s+(?:if|else|next|start)\b/u, 'medium'],
  ['coverage-ignore-file', /\/[/*]\s*(?:istanbul|v8|c8)\s+ignore\s+file\b/u, 'high'],
  [
    'skipped-test',
    /\b(?:it|test|describe|suite|bench)(?:\.\w{1,20}){0,3}\.(?:skip|skipIf|runIf|todo|fixme|fails|failing)\b/u,
    'medium',
  ],
  ['skipped-test', /^\s*(?:xit|xtest|xdescribe)(?:\.\w{1,20}){0,3}\s*[(`]/u, 'medium'],
  ['only', /\b(?:it|test|describe|suite|bench)(?:\.\w{1,20}){0,3}\.only\b/u, 'high'],
  ['only', /^\s*(?:fit|fdescribe)(?:\.\w{1,20}){0,3}\s*(?:\(\s*["'`]|`)/u, 'high'],
];
const STYLE: readonly Row[] = [
  ['stylelint-disable', /\/[/*]\s*stylelint-disable-(?:next-)?line\b/u, 'medium'],
  ['stylelint-disable-file', /\/[/*]\s*stylelint-disable(?![\w-])/u, 'high'],
];
const BIOME: readonly Row[] = [
  ['biome-ignore', /(?:\/[/*]|#|<!--)\s*biome-ignore(?![\w-])/u, 'medium'],
  ['biome-ignore-file', /(?:\/[/*]|#|<!--)\s*biome-ignore-(?:all|start)\b/u, 'high'],
];
const SHELL: readonly Row[] = [['shellcheck-disable', /#\s*shellcheck\s+(?:\S{1,100}\s+){0,3}disable=/u, 'medium']];
const GO: readonly Row[] = [
  ['nolint', /\/\/\s*nolint\b/u, 'medium'],
  ['skipped-test', /\b[tbf]\.Skip(?:f|Now)?\s*\(/u, 'medium'],
];
const RUST: readonly Row[] = [
  ['allow', /#\[\s*(?:allow|expect)\s*\(/u, 'medium'],
  ['allow-file', /#!\[\s*(?:allow|expect)\s*\(/u, 'high'],
  ['skipped-test', /#\[\s*ignore\s*[\]=]/u, 'medium'],
];

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
