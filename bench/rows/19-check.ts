import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { parseReport } from '../../test/cli/check-fixture.ts';
import { readFixture } from '../../test/tools/support/fixture.ts';
import { openWorkshop, toInstalled, toVariables, type Workshop } from '../../test/tools/support/ratchet-check.ts';
import { readOwnCpuUs } from '../cpu.ts';
import { NotMeasuredError } from '../measure.ts';
import type { Metric, OpenRow, Row, RowContext, Sample, Turn } from '../row.ts';

const RATCHET = join(import.meta.dirname, '../..');
const PEER = 'the same command lines, started beside each other by hand';
const TIMEOUT_MS = 300_000;
const PACKAGES = 10;

/** A project, and the engines to run on it. */
interface Project {
  readonly name: string;
  readonly root: string;
  readonly engines: readonly string[];
  /** The command lines that Ratchet runs in parallel, taken from a first run. */
  readonly commands: readonly { readonly argv: readonly string[]; readonly cwd: string }[];
}

/** Row 19: `ratchet check --fresh` from the bundle, against running its tools by hand. */
export const check: Row = {
  number: 19,
  name: 'ratchet check',
  metrics: [
    toMetric('light-my-request', 'light-my-request, eslint'),
    toMetric('mixed', 'mixed project, six small tools'),
    toMetric('monorepo', 'monorepo of ten packages, eslint and tsc in each'),
  ],
  open: openRow,
};

function toMetric(project: string, name: string): Metric {
  return {
    ...{ kind: 'time', name, ours: `${project}-ours`, target: 1.1 },
    peer: { side: `${project}-peer`, name: PEER },
  };
}

async function openRow({ memoryDir }: RowContext): Promise<OpenRow> {
  if (!existsSync(toInstalled('third-party'))) throw new NotMeasuredError('run "node scripts/prepare-tools.ts" first');
  const bundle = join(memoryDir, 'bundle');
  await execa(process.execPath, ['scripts/build.ts', bundle], { cwd: RATCHET, timeout: TIMEOUT_MS });
  // The program reads its version there.
  await copyFile(join(RATCHET, 'package.json'), join(memoryDir, 'package.json'));
  const workshop = await openWorkshop();
  const main = join(bundle, 'main.js');
  const cache = join(memoryDir, 'cache');
  const projects = [await layOther(workshop), await layMixed(workshop), await layMonorepo(workshop)];
  const ready: Project[] = [];
  for (const project of projects) ready.push(await askCommands(project, { main, cache }));
  return {
    notes: [
      ...ready.map(({ name, commands }) => `${name}: ${String(commands.length)} command lines`),
      'ours is the bundle, as it is shipped: start of Node, git, plans, versions of the tools, runs, reports, JSON; nothing from the cache',
    ],
    takeTurn: (index) => takeTurn(ready, { main, cache, index }),
    explain: async () => [],
    close: () => workshop.close(),
  };
}

async function layOther(workshop: Workshop): Promise<Project> {
  const sources = { from: toInstalled('third-party', 'light-my-request'), packages: toInstalled('third-party') };
  const root = await workshop.layProject('light-my-request', sources);
  return { name: 'light-my-request', root, engines: ['eslint'], commands: [] };
}

async function layMixed(workshop: Workshop): Promise<Project> {
  const packages = { eslint: toInstalled('npm', 'eslint'), typescript: toInstalled('npm', 'typescript') };
  const files = await readFixture('check/mixed');
  const root = await workshop.layProject('mixed', { files, packages, hasPython: true });
  return { name: 'mixed', root, engines: ['eslint', 'flake8', 'mypy', 'pytest', 'shellcheck', 'tsc'], commands: [] };
}

/** Ten packages with a configuration of their own for both tools, and sources of a few files. */
async function layMonorepo(workshop: Workshop): Promise<Project> {
  const packages = { eslint: toInstalled('npm', 'eslint'), typescript: toInstalled('npm', 'typescript') };
  const files: Record<string, string> = { 'package.json': '{"private":true,"workspaces":["packages/*"]}' };
  for (const name of Array.from({ length: PACKAGES }, (_, index) => `packages/p${String(index)}`)) {
    files[`${name}/package.json`] = '{"type":"module"}';
    files[`${name}/eslint.config.js`] = 'export default [{ rules: { "no-var": "error", eqeqeq: "error" } }];\n';
    files[`${name}/tsconfig.json`] = '{"compilerOptions":{"strict":true,"types":[]},"include":["src"]}';
    for (const file of ['a', 'b', 'c']) {
      files[`${name}/src/${file}.ts`] = `export const ${file}: number = ${String(name.length)};\n`;
      files[`${name}/lib/${file}.js`] = `var ${file} = 1;\nexport default ${file};\n`;
    }
  }
  const root = await workshop.layProject('monorepo', { files, packages });
  return { name: 'monorepo', root, engines: ['eslint', 'tsc'], commands: [] };
}

interface Product {
  readonly main: string;
  readonly cache: string;
}

async function runRatchet({ root, engines }: Project, { main, cache }: Product): Promise<string> {
  const only = engines.flatMap((id) => ['--engine', id]);
  const { stdout, stderr, exitCode } = await execa(process.execPath, [main, 'check', '--json', '--fresh', ...only], {
    ...{ cwd: root, env: toVariables(cache), extendEnv: false, reject: false, timeout: TIMEOUT_MS },
  });
  if (exitCode !== 0 && exitCode !== 1) throw new NotMeasuredError(`ratchet check failed: ${stderr}`);
  return stdout;
}

async function askCommands(project: Project, product: Product): Promise<Project> {
  const { runs } = parseReport(await runRatchet(project, product));
  const broken = runs.filter(({ complete }) => !complete).map(({ engine }) => engine);
  if (broken.length > 0) throw new NotMeasuredError(`${project.name}: incomplete: ${broken.join(', ')}`);
  return { ...project, commands: runs.map(({ argv, cwd }) => ({ argv, cwd: join(project.root, cwd) })) };
}

async function takeTurn(
  projects: readonly Project[],
  { index, ...product }: Product & { readonly index: number },
): Promise<Turn> {
  const turn: Record<string, Sample> = {};
  for (const project of projects) {
    const sides: readonly (readonly [string, () => Promise<unknown>])[] = [
      [`${project.name}-ours`, () => runRatchet(project, product)],
      [`${project.name}-peer`, () => runByHand(project, product)],
    ];
    for (const [side, work] of index % 2 === 0 ? sides : sides.toReversed()) turn[side] = await measure(work);
  }
  return turn;
}

async function measure(work: () => Promise<unknown>): Promise<Sample> {
  const [cpuBefore, before] = [readOwnCpuUs(), performance.now()];
  await work();
  return { wallMs: performance.now() - before, operations: 1, cpuUs: readOwnCpuUs() - cpuBefore };
}

async function runByHand({ commands }: Project, { cache }: Product): Promise<void> {
  const env = { ...toVariables(cache), NO_COLOR: '1', CI: '1', PYTHONDONTWRITEBYTECODE: '1' };
  await Promise.all(
    commands.map(async ({ argv: [program = '', ...args], cwd }) => {
      // What tsc left there would spare it the work that a fresh run does.
      const left = args[args.indexOf('--tsBuildInfoFile') + 1];
      if (args.includes('--tsBuildInfoFile') && left !== undefined) await rm(left, { force: true });
      await once(spawn(program, args, { cwd, env, stdio: 'ignore' }), 'exit');
    }),
  );
}
