import { readdirSync } from 'node:fs';
import { cp, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { clippyByHand, eslintByHand, goByHand, type HandRun, mypyByHand, pytestByHand, tscByHand } from './by-hand.ts';
import { commit, toDebianSource, toInstalled, type Workshop, writeFiles } from './ratchet-check.ts';

/** A project of others. */
export interface ThirdPartyProject {
  readonly name: string;
  /** What it stands for. */
  readonly kind: string;
  /** What the test makes itself, because no registry serves it; null: nothing but a file with something to find. */
  readonly made: string | null;
  /** The root of a checkout with one commit. */
  readonly lay: (workshop: Workshop, name: string) => Promise<string>;
  readonly byHand: readonly HandRun[];
  /** Arguments of `ratchet check`, where not everything is compared. */
  readonly argv?: readonly string[];
  /** A file that gets a comment. */
  readonly commented: string;
}

const TEMPLATES = toInstalled('templates');
const VITE = toInstalled('templates', 'create-vite');
const REDWOOD = toInstalled('templates', 'create-redwood-app/templates/ts');
const SST = toInstalled('templates', 'create-sst/bin/presets');
const BAD_TS = "export const count: number = 'none'\nexport const other: string = 1\n";
const IGNORED = 'node_modules\n.venv\n__pycache__\n.pytest_cache\n.mypy_cache\ndist\ntarget\n*.tsbuildinfo\n';

/** The packages of the templates with another TypeScript: 7 is the fastest, and 5 knows options that newer ones refuse. */
function withTypeScript(name: 'typescript-native' | 'typescript-five'): Readonly<Record<string, string>> {
  const packages = readdirSync(TEMPLATES).filter((entry) => !entry.startsWith('.'));
  return {
    ...Object.fromEntries(packages.map((entry) => [entry, join(TEMPLATES, entry)])),
    typescript: join(TEMPLATES, name),
  };
}

/** Adds to what was laid, and commits again. */
async function add(root: string, files: Readonly<Record<string, string>>): Promise<string> {
  await writeFiles(root, files);
  await commit(root);
  return root;
}

function template(
  name: string,
  files: Readonly<Record<string, string>> = {},
  packages: string | Readonly<Record<string, string>> = withTypeScript('typescript-native'),
): ThirdPartyProject['lay'] {
  return (workshop, folder) =>
    workshop.layProject(folder, {
      from: join(VITE, name),
      files: { '.gitignore': IGNORED, 'src/bad.ts': BAD_TS, ...files },
      packages,
    });
}

const VITE_APP: ThirdPartyProject = {
  name: 'create-vite react-ts',
  kind: 'Vite application',
  made: null,
  lay: template(
    'template-react-ts',
    { 'src/Bad.tsx': 'export function Bad() {\n  var a = 1\n  return <p></p>\n}\n' },
    TEMPLATES,
  ),
  byHand: [eslintByHand(), tscByHand(['-b', '--noEmit'])],
  commented: 'src/App.tsx',
};

const SOLUTION: ThirdPartyProject = {
  name: 'create-vite preact-ts',
  kind: 'solution-style TypeScript',
  made: null,
  lay: template('template-preact-ts'),
  byHand: [tscByHand(['-b', '--noEmit'])],
  commented: 'src/app.tsx',
};

const JAVASCRIPT: ThirdPartyProject = {
  name: 'light-my-request',
  kind: 'JavaScript package',
  made: null,
  lay: (workshop, name) =>
    workshop.layProject(name, {
      from: toInstalled('third-party', 'light-my-request'),
      files: { 'lib/added.js': "'use strict'\n\nvar added = 1;\n" },
      packages: toInstalled('third-party'),
    }),
  byHand: [eslintByHand()],
  commented: 'index.js',
};

const REDWOOD_APP: ThirdPartyProject = {
  name: 'create-redwood-app ts',
  kind: 'monorepo (yarn workspaces)',
  made: null,
  lay: async (workshop, name) =>
    workshop.layProject(name, {
      from: REDWOOD,
      files: { '.gitignore': IGNORED, 'api/src/lib/bad.ts': BAD_TS },
      packages: withTypeScript('typescript-native'),
    }),
  byHand: ['api', 'web', 'scripts'].map((project) =>
    tscByHand(['--noEmit'], { project, cwd: project }, '../node_modules'),
  ),
  // Its tests need a database.
  argv: ['--engine', 'tsc'],
  commented: 'api/src/lib/auth.ts',
};

const SST_APP: ThirdPartyProject = {
  name: 'create-sst drizzle',
  kind: 'monorepo (pnpm workspaces)',
  made: null,
  // The generator lays an example over its base.
  lay: async (workshop, name) => {
    const root = await workshop.layProject(name, {
      from: join(SST, 'base/monorepo/templates'),
      files: { '.gitignore': IGNORED, 'packages/core/src/bad.ts': BAD_TS },
      packages: withTypeScript('typescript-five'),
    });
    await cp(join(SST, 'examples/nextjs-rds-drizzle/templates'), root, { recursive: true });
    return add(root, { 'packages/functions/src/more.ts': BAD_TS });
  },
  byHand: ['packages/core', 'packages/functions', 'packages/web'].map((project) =>
    tscByHand(['--noEmit'], { project, cwd: project }, '../../node_modules'),
  ),
  commented: 'packages/functions/src/more.ts',
};

const NPM_WORKSPACES: ThirdPartyProject = {
  name: 'create-vite, three of them',
  kind: 'monorepo (npm workspaces)',
  made: 'the root package.json',
  lay: async (workshop, name) => {
    const root = await workshop.layProject(name, {
      files: {
        '.gitignore': IGNORED,
        'package.json': '{ "name": "three", "private": true, "workspaces": ["apps/*"] }\n',
        'apps/app/src/bad.ts': BAD_TS,
      },
      packages: TEMPLATES,
    });
    for (const [folder, from] of [
      ['app', 'template-react-ts'],
      ['plain', 'template-vanilla-ts'],
      ['site', 'template-react'],
    ] as const) {
      await cp(join(VITE, from), join(root, 'apps', folder), { recursive: true });
    }
    return add(root, { 'apps/site/src/bad.js': 'var unused = 1\n', 'apps/plain/src/bad.ts': BAD_TS });
  },
  byHand: [
    tscByHand(['-b', '--noEmit'], { project: 'apps/app', cwd: 'apps/app' }, '../../node_modules'),
    tscByHand(['--noEmit'], { project: 'apps/plain', cwd: 'apps/plain' }, '../../node_modules'),
    eslintByHand({ project: 'apps/app', cwd: 'apps/app' }, '../../node_modules'),
    eslintByHand({ project: 'apps/site', cwd: 'apps/site' }, '../../node_modules'),
  ],
  commented: 'apps/plain/src/main.ts',
};

const MARKUPSAFE: ThirdPartyProject = {
  name: 'markupsafe',
  kind: 'Python with files and testpaths',
  made: null,
  lay: async (workshop, name) => {
    const root = await workshop.layProject(name, {
      from: toDebianSource('MarkupSafe-2.1.2'),
      files: {
        '.gitignore': IGNORED,
        // As `pip install --editable` would do it.
        'conftest.py': 'import sys\n\nsys.path.insert(0, "src")\n',
        'src/markupsafe/bad.py': 'def bad() -> int:\n    return "one"\n',
        'tests/test_bad.py': 'def test_bad():\n    assert 1 == 2\n',
        'bench/test_never.py': 'def test_never():\n    assert False\n',
      },
      hasPython: true,
    });
    return root;
  },
  byHand: [mypyByHand(), pytestByHand()],
  argv: ['--engine', 'mypy', '--engine', 'pytest'],
  commented: 'src/markupsafe/_native.py',
};

const GYP: ThirdPartyProject = {
  name: 'gyp-next',
  kind: 'Python with testpaths and files',
  made: 'files and testpaths of pyproject.toml',
  lay: async (workshop, name) => {
    const root = await workshop.layProject(name, {
      from: toInstalled('third-party', 'node-gyp/gyp'),
      files: { '.gitignore': IGNORED, 'pylib/gyp/bad_test.py': 'def test_bad():\n    assert 1 == 2\n' },
      hasPython: true,
    });
    const config = [
      '[mypy]',
      'files = pylib/gyp/common.py, pylib/gyp/easy_xml.py',
      'mypy_path = pylib',
      '[tool:pytest]',
      'testpaths = pylib/gyp',
      'python_files = *_test.py',
    ];
    return add(root, { 'setup.cfg': `${config.join('\n')}\n` });
  },
  byHand: [mypyByHand(), pytestByHand()],
  argv: ['--engine', 'mypy', '--engine', 'pytest'],
  commented: 'pylib/gyp/common.py',
};

const GO_WORK: ThirdPartyProject = {
  name: 'pkg/errors and google/uuid',
  kind: 'Go work file',
  made: 'go.work and go.mod',
  lay: async (workshop, name) => {
    const root = await workshop.layProject(name, {
      files: { '.gitignore': IGNORED, 'go.work': 'go 1.19\n\nuse (\n\t./errors\n\t./uuid\n)\n' },
    });
    const sources = toDebianSource('usr/share/gocode/src/github.com');
    await cp(join(sources, 'pkg/errors'), join(root, 'errors'), { recursive: true });
    await cp(join(sources, 'google/uuid'), join(root, 'uuid'), { recursive: true });
    const bad = 'package errors\n\nfunc bad(x int) int {\n\tx = x\n\treturn x\n}\n';
    const test = 'package uuid\n\nimport "testing"\n\nfunc TestBad(t *testing.T) { t.Error("bad") }\n';
    return add(root, {
      'errors/go.mod': 'module github.com/pkg/errors\n\ngo 1.19\n',
      'uuid/go.mod': 'module github.com/google/uuid\n\ngo 1.19\n',
      'errors/bad.go': bad,
      'uuid/bad_test.go': test,
    });
  },
  byHand: [
    goByHand('go-vet', 'errors'),
    goByHand('go-vet', 'uuid'),
    goByHand('go-test', 'errors'),
    goByHand('go-test', 'uuid'),
  ],
  argv: ['--engine', 'go-vet', '--engine', 'go-test'],
  commented: 'uuid/uuid.go',
};

const CARGO: ThirdPartyProject = {
  name: 'fnv and matches',
  kind: 'cargo workspace',
  made: 'the workspace',
  lay: async (workshop, name) => {
    const root = await workshop.layProject(name, {
      files: { '.gitignore': IGNORED, 'Cargo.toml': '[workspace]\nmembers = ["fnv", "matches"]\n' },
    });
    const sources = toDebianSource('usr/share/cargo/registry');
    await cp(join(sources, 'fnv-1.0.7'), join(root, 'fnv'), { recursive: true });
    await cp(join(sources, 'matches-0.1.8'), join(root, 'matches'), { recursive: true });
    return add(root, { 'fnv/examples/bad.rs': 'fn main() {\n    return ();\n}\n' });
  },
  byHand: [clippyByHand()],
  argv: ['--engine', 'clippy'],
  commented: 'fnv/lib.rs',
};

const GENERATED: ThirdPartyProject = {
  name: 'create-vite vanilla-ts',
  kind: 'ignored generated code',
  made: 'the generated file',
  lay: async (workshop, name) => {
    const root = await template('template-vanilla-ts', {
      '.gitignore': `${IGNORED}src/generated\n`,
      'src/uses.ts': "import { version } from './generated/version'\n\nexport const next: number = version\n",
    })(workshop, name);
    await writeFiles(root, { 'src/generated/version.ts': "export const version = '1'\n" });
    return root;
  },
  byHand: [tscByHand(['--noEmit'])],
  commented: 'src/main.ts',
};

const SUBMODULE: ThirdPartyProject = {
  name: 'light-my-request in a template',
  kind: 'submodules',
  made: 'the submodule',
  lay: async (workshop, name) => {
    const inner = await JAVASCRIPT.lay(workshop, `${name}-inner`);
    await rm(join(inner, 'node_modules'));
    const root = await template('template-vanilla-ts')(workshop, name);
    await execa('git', ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'src/request'], {
      cwd: root,
    });
    await symlink(toInstalled('third-party'), join(root, 'src/request/node_modules'));
    await commit(root);
    return root;
  },
  byHand: [tscByHand(['--noEmit'])],
  argv: ['--engine', 'tsc'],
  commented: 'src/main.ts',
};

/** Of npm, as their packages hold them or as their generators make them. */
export const NODE_PROJECTS: readonly ThirdPartyProject[] = [
  ...[VITE_APP, SOLUTION, JAVASCRIPT],
  ...[REDWOOD_APP, SST_APP, NPM_WORKSPACES],
];

/** Of Debian, and what no registry serves whole. */
export const OTHER_PROJECTS: readonly ThirdPartyProject[] = [MARKUPSAFE, GYP, GO_WORK, CARGO, GENERATED, SUBMODULE];
