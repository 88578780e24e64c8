import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

const PROJECT = join(import.meta.dirname, '../..');

const Manifest = z.object({ scripts: z.object({ 'check:lint': z.string() }) });

const Report = z.object({
  diagnostics: z.array(z.object({ code: z.string().optional(), message: z.string(), filename: z.string() })),
});

/** How a finding begins, the file, and its text. */
type Case = readonly [finding: string, path: string, text: string];

const ANY = 'declare const any: ReturnType<typeof JSON.parse>;\n';
const PROMISE = 'export const wait = (): Promise<number> => Promise.resolve(1);\n';
const STORE = 'declare const store: { readonly transaction: (work: () => unknown) => void };\n';
const UNION = "export function nameOf(of: 'a' | 'b'): string {\n";

const BANNED: readonly Case[] = [
  ['ours(banned-syntax): No `!`', 'src/not-null.ts', 'export const toName = (of: string | null): string => of!;\n'],
  ['ours(banned-syntax): No `as`', 'src/as.ts', 'export const toName = (value: unknown): string => value as string;\n'],
  ['ours(banned-syntax): No enums', 'src/enum.ts', "export enum Colour {\n  Red = 'red',\n}\n"],
  ['ours(banned-syntax): Named exports', 'src/default.ts', 'export default 1;\n'],
  ['ours(banned-syntax): No barrels', 'src/barrel.ts', "export * from './clean.ts';\n"],
  ['ours(banned-syntax): No barrels', 'src/named-barrel.ts', "export * as clean from './clean.ts';\n"],
  ['ours(banned-syntax): Transactions are', 'src/store.ts', `${STORE}store.transaction(async () => {});\n`],
  ['ours(banned-syntax): Named exports', 'src/deep/a.config.ts', 'export default 1;\n'],
  [
    'ours(banned-syntax): core is synchronous',
    'src/core/wait.ts',
    `${PROMISE}export const twice = async () => (await wait()) * 2;\n`,
  ],
  ['ours(banned-syntax): core has no clock', 'src/core/clock.ts', 'export const now = new Date();\n'],
  ["eslint(no-restricted-properties): 'Date.now'", 'src/core/deep/now.ts', 'export const now = Date.now();\n'],
  ["eslint(no-restricted-properties): 'Math.random'", 'src/core/random.ts', 'export const chance = Math.random();\n'],
  [
    "eslint(no-restricted-globals): Unexpected use of 'process'. Only main.ts",
    'src/process.ts',
    'export const path = process.argv[1];\n',
  ],
];

const TYPED: readonly Case[] = [
  ['typescript(await-thenable)', 'src/await.ts', 'export const one = async (): Promise<number> => await 1;\n'],
  ['typescript(no-base-to-string)', 'src/base.ts', 'export const toText = (of: object): string => String(of);\n'],
  ['typescript(no-confusing-void-expression)', 'src/void.ts', "export const nothing = console.log('');\n"],
  [
    'typescript(no-deprecated)',
    'src/deprecated.ts',
    '/** @deprecated for a test */\nconst old = 1;\nexport const two = old;\n',
  ],
  ['typescript(no-explicit-any)', 'src/explicit.ts', 'export type Loose = Record<string, any>;\n'],
  ['typescript(no-floating-promises)', 'src/floating.ts', `${PROMISE}wait();\n`],
  ['typescript(no-misused-promises)', 'src/misused.ts', `${PROMISE}if (wait()) console.log('');\n`],
  ['typescript(no-misused-promises)', 'src/misused-argument.ts', `${PROMISE}[1].forEach(() => wait());\n`],
  [
    'typescript(no-unnecessary-condition)',
    'src/condition.ts',
    "export const of = (x: object): string => (x ? 'a' : 'b');\n",
  ],
  ['typescript(no-unnecessary-type-assertion)', 'src/assertion.ts', 'const one = 1;\nexport const two = one!;\n'],
  ['typescript(no-unsafe-argument)', 'src/any-argument.ts', `${ANY}Number.parseInt(any);\n`],
  ['typescript(no-unsafe-assignment)', 'src/any-assignment.ts', `${ANY}export const list = [...any.x];\n`],
  ['typescript(no-unsafe-call)', 'src/any-call.ts', `${ANY}any();\n`],
  ['typescript(no-unsafe-member-access)', 'src/any-member.ts', `${ANY}export const yes = any.member === 1;\n`],
  ['typescript(no-unsafe-return)', 'src/any-return.ts', `${ANY}export const get = (): string => any;\n`],
  ['typescript(only-throw-error)', 'src/throw.ts', "export const fail = (): never => {\n  throw 'text';\n};\n"],
  ['typescript(restrict-plus-operands)', 'src/plus.ts', "export const add = (x: number): string => x + 'a';\n"],
  ['typescript(restrict-template-expressions)', 'src/template.ts', 'export const add = (x: [1]): string => `${x}`;\n'],
  [
    'typescript(return-await)',
    'src/return-await.ts',
    `${PROMISE}export async function get(): Promise<number> {\n  try {\n    return wait();\n  } catch {\n    return 2;\n  }\n}\n`,
  ],
  [
    'typescript(switch-exhaustiveness-check)',
    'src/switch.ts',
    `${UNION}  switch (of) {\n    case 'a':\n      return 'A';\n  }\n  return '';\n}\n`,
  ],
  [
    'typescript(unbound-method)',
    'src/unbound.ts',
    'class Box {\n  open(): Box {\n    return this;\n  }\n}\nexport const open = new Box().open;\n',
  ],
  [
    'typescript(use-unknown-in-catch-callback-variable)',
    'src/catch.ts',
    `${PROMISE}wait().catch((e: Error) => e.name);\n`,
  ],
];

const UNTYPED: readonly Case[] = [
  [
    'Unused oxlint-disable directive',
    'src/directive.ts',
    '// oxlint-disable-next-line no-var -- nothing to allow\nexport const one = 1;\n',
  ],
  [
    'Unused eslint-disable directive',
    'src/old-directive.ts',
    '// eslint-disable-next-line no-var -- nothing to allow\nexport const one = 1;\n',
  ],
  ['Unexpected token', 'src/broken.ts', 'export const one = ;\n'],
  ['typescript(ban-ts-comment)', 'src/comment.ts', '// @ts-ignore\nexport const one = 1;\n'],
  [
    'typescript(consistent-type-imports)',
    'src/import.ts',
    "import { Clean } from './clean.ts';\nexport type Two = Clean;\n",
  ],
  ['typescript(explicit-module-boundary-types)', 'src/boundary.ts', 'export function one() {\n  return 1;\n}\n'],
  ['eslint(no-unused-vars)', 'src/unused.ts', 'const _unused = 1;\n'],
  [
    'eslint(complexity)',
    'src/complex.ts',
    `export const f = (x: number): boolean => ${Array.from({ length: 13 }, (_one, i) => `x === ${String(i)}`).join(' || ')};\n`,
  ],
  ['eslint(eqeqeq)', 'src/equal.ts', 'export const isOne = (x: unknown): boolean => x == 1;\n'],
  ['eslint(max-lines)', 'src/lines.ts', 'export {};\n'.repeat(401)],
  ['eslint(max-lines)', 'test/lines.test.ts', 'export {};\n'.repeat(601)],
  [
    'eslint(max-lines-per-function)',
    'src/long.ts',
    `export function long(f: () => void): void {\n${'  f();\n'.repeat(61)}}\n`,
  ],
  [
    'eslint(max-params)',
    'src/params.ts',
    'export const sum = (a: number, b: number, c: number, d: number, e: number): number => a + b + c + d + e;\n',
  ],
  [
    'eslint(no-else-return)',
    'src/else.ts',
    'export function f(x: number): number {\n  if (x > 1) {\n    return 1;\n  } else {\n    return 2;\n  }\n}\n',
  ],
  [
    'eslint(no-nested-ternary)',
    'src/nested.ts',
    'export const f = (x: number): number => (x > 1 ? 1 : x > 0 ? 2 : 3);\n',
  ],
  ['eslint(no-var)', 'src/var.ts', 'export var one = 1;\n'],
  ['eslint(prefer-const)', 'src/const.ts', 'let one = 1;\nexport const two = one;\n'],
];

/** What the compiler says. */
const COMPILED: readonly Case[] = [
  ['typescript(TS2322)', 'src/assigned.ts', "export const one: number = 'a';\n"],
  ['typescript(TS2307)', 'src/missing.ts', "export { one } from './nowhere.ts';\n"],
  ['typescript(TS2375)', 'src/optional.ts', 'export const box: { one?: 1 } = { one: undefined };\n'],
  ['typescript(TS2532)', 'src/indexed.ts', 'export const toFirst = (of: string[]): string => of[0].trim();\n'],
  ['typescript(TS4111)', 'src/signature.ts', 'export const get = (of: Record<string, 1>): unknown => of.one;\n'],
  [
    'typescript(TS4114)',
    'src/override.ts',
    "export class Gone extends Error {\n  toString(): string {\n    return '';\n  }\n}\n",
  ],
  ['typescript(TS1294)', 'src/erased.ts', 'export class Box {\n  constructor(readonly one: number) {}\n}\n'],
  ['typescript(TS1484)', 'src/verbatim.ts', "import { Clean } from './clean.ts';\nexport type Two = Clean;\n"],
  [
    'typescript(TS7030)',
    'src/returns.ts',
    'export function f(x: number): number | undefined {\n  if (x > 1) return 1;\n}\n',
  ],
];

/** Files that must be reported for nothing. */
const CLEAN: Readonly<Record<string, string>> = {
  'src/clean.ts': 'export interface Clean {\n  readonly one: 1;\n}\nexport const TWO = [1, 2] as const;\n',
  'src/allowed.ts': '// oxlint-disable-next-line ours/banned-syntax -- a reason\nexport default 1;\n',
  'src/main.ts': 'export const path = process.argv[1];\n',
  'src/now.ts': 'export const now = [Date.now(), new Date(), Math.random()];\n',
  'src/core/then.ts': 'export const then = new Date(0);\n',
  'test/long.test.ts': `export function long(f: () => void): void {\n${'  f();\n'.repeat(500)}}\n`,
  'a.config.ts': 'export default 1;\n',
};

/** Not linted at all. */
const IGNORED: Readonly<Record<string, string>> = {
  'test/tools/fixtures/a.ts': 'export default 1;\n',
  'src/a.mjs': 'export default 1;\n',
  '.cache/a.ts': 'export default 1;\n',
};

const CASES = [...BANNED, ...TYPED, ...UNTYPED, ...COMPILED];

describe('lint, with the configuration of this project', () => {
  let root: string;
  let found: ReadonlyMap<string, readonly string[]>;

  beforeAll(async () => {
    const cases = Object.fromEntries(CASES.map(([, path, text]) => [path, text]));
    root = await layProject({ ...cases, ...CLEAN, ...IGNORED });
    const { stdout, exitCode } = await lint(root, { argv: ['--format', 'json'] });
    expect(exitCode).toBe(1);
    const { diagnostics } = Report.parse(JSON.parse(stdout));
    const byFile = Map.groupBy(diagnostics, ({ filename }) => filename);
    found = new Map(Array.from(byFile, ([file, of]) => [file, of.map(toText)]));
  });

  afterAll(async () => {
    await rm(root, { recursive: true, force: true });
  });

  it.each(CASES)('reports "%s" in %s', (finding, path) => {
    expect(found.get(path)).toContainEqual(expect.stringContaining(finding));
  });

  it('reports nothing else', () => {
    expect(Array.from(found.keys()).toSorted()).toEqual(CASES.map(([, path]) => path).toSorted());
  });
});

describe('a run of lint', () => {
  let root: string;

  beforeAll(async () => {
    root = await layProject(CLEAN);
  });

  afterAll(async () => {
    await rm(root, { recursive: true, force: true });
  });

  it('passes where nothing is wrong', async () => {
    const { exitCode } = await lint(root, { argv: [] });

    expect(exitCode).toBe(0);
  });

  it.each([
    ['the program that knows types ends early', { argv: [], env: { OXLINT_TSGOLINT_PATH: '/bin/false' } }],
    ['the program that knows types is missing', { argv: [], env: { OXLINT_TSGOLINT_PATH: '/missing' } }],
    ['no file is found', { argv: ["--ignore-pattern='**'"] }],
  ])('fails where %s', async (_what, how) => {
    const { exitCode } = await lint(root, how);

    expect(exitCode).toBe(1);
  });

  it('looks at every source file of this project', async () => {
    const { stdout: linted } = await lint(PROJECT, { argv: ['--debug=files'] });
    const seen = new Set(linted.split('\n'));
    const list = ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', ':!test/tools/fixtures'];
    const { stdout: known } = await execa('git', list, { cwd: PROJECT });
    const sources = known.split('\n').filter((path) => existsSync(join(PROJECT, path)));

    expect(sources.filter((path) => !seen.has(path))).toEqual([]);
    expect(sources.length).toBeGreaterThan(1000);
  });
});

/** A project of `files` with our configuration. */
async function layProject(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'ratchet-lint-'));
  for (const path of ['package.json', 'tsconfig.json', 'oxlint.config.ts', 'scripts/lint'])
    await cp(join(PROJECT, path), join(root, path), { recursive: true });
  await symlink(join(PROJECT, 'node_modules'), join(root, 'node_modules'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

/** Runs lint as `npm run check:lint` does. */
async function lint(
  cwd: string,
  { argv, env = {} }: { readonly argv: readonly string[]; readonly env?: Readonly<Record<string, string>> },
): Promise<{ readonly stdout: string; readonly exitCode: number | undefined }> {
  const { scripts } = Manifest.parse(JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')));
  const options = { cwd, env, shell: true, preferLocal: true, localDir: PROJECT, reject: false } as const;
  const { stdout, exitCode } = await execa(`${scripts['check:lint']} ${argv.join(' ')}`, options);
  return { stdout, exitCode };
}

function toText({ code, message }: z.infer<typeof Report>['diagnostics'][number]): string {
  return code === undefined ? message : `${code}: ${message}`;
}
