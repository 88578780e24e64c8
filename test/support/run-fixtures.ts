import { cp, glob, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** A repository with faults, and the scripted agent that mends them. */
export interface RunFixture {
  readonly files: Readonly<Record<string, string>>;
  readonly script: object;
}

/** Failing tests of the files, 12 together: those of the last two have one cause. */
const OWN = [3, 3, 4, 0, 0];

function numbered<Value>(toValue: (number: number, own: number) => Value): readonly Value[] {
  return OWN.map((own, index) => toValue(index + 1, own));
}

const times = (count: number, toText: (nth: number) => string): string =>
  Array.from({ length: count }, (_, index) => toText(index + 1)).join('');

/** `chain`: a folder with the packages of `makeVitestChain`. */
export function aVitestRepository(chain: string): RunFixture {
  const modules = numbered((number, own) => {
    const name = `m${String(number)}`;
    const tests = times(
      own,
      (nth) => `it('adds ${String(nth)}', () => expect(add(${String(nth)}, 3)).toBe(${String(nth + 3)}));\n`,
    );
    const shared = own === 0 ? "it('scales', () => expect(scaled(4)).toBe(8));\n" : '';
    return [
      [
        `src/${name}.mjs`,
        `import { scale } from './shared.mjs';\nexport const add = (left, right) => left - right;\nexport const scaled = (value) => scale(value);\nexport const word = () => 'word';\n`,
      ],
      [
        `test/${name}.test.mjs`,
        `import { expect, it } from 'vitest';\nimport { add, scaled, word } from '../src/${name}.mjs';\n${tests}${shared}it('takes a word', () => expect(word()).toBe('word'));\nvoid [add, scaled];\n`,
      ],
    ] as const;
  }).flat();
  return {
    files: {
      ...Object.fromEntries(modules),
      '.gitignore': 'node_modules\n',
      'package.json': '{"name":"broken","type":"module","devDependencies":{"vitest":"*","@vitest/coverage-v8":"*"}}\n',
      '.github/ratchet.yml': `install:\n  detect: false\nsetup:\n  - cp -r ${chain}/node_modules node_modules\nengines:\n  vitest: {}\n  vitest-coverage: {}\ntasks:\n  coverageBelow: 60\n`,
      'src/shared.mjs': 'export const scale = (value) => value.times(2);\n',
      'src/gap.mjs': `export function sign(value) {\n  if (value < 0) {\n    const name = 'negative';\n    return name;\n  }\n  if (value === 0) {\n    const name = 'zero';\n    return name;\n  }\n  return 'positive';\n}\n`,
      'test/gap.test.mjs': `import { expect, it } from 'vitest';\nimport { sign } from '../src/gap.mjs';\nit('is positive', () => expect(sign(1)).toBe('positive'));\n`,
    },
    script: toScript({
      ...{ testStart: 'test/m', testEnd: '.test.mjs', start: 'src/m', end: '.mjs' },
      file: 'test/gap-more.test.mjs',
      text: `import { expect, it } from 'vitest';\nimport { sign } from '../src/gap.mjs';\nit('is negative', () => expect(sign(-1)).toBe('negative'));\nit('is zero', () => expect(sign(0)).toBe('zero'));\n`,
      mend: "sed -i 's/value.times(2)/value * 2/' src/shared.mjs",
    }),
  };
}

/** `modules`: the folder with the packages of Python. */
export function aPytestRepository(modules: string): RunFixture {
  const files = numbered((number, own) => {
    const name = `m${String(number)}`;
    const tests = times(
      own,
      (nth) => `\n\ndef test_adds_${String(nth)}():\n    assert add(${String(nth)}, 3) == ${String(nth + 3)}\n`,
    );
    const shared = own === 0 ? '\n\ndef test_scales():\n    assert scaled(4) == 8\n' : '';
    return [
      [
        `app/${name}.py`,
        `from app.shared import scale\n\n\ndef add(left, right):\n    return left - right\n\n\ndef scaled(value):\n    return scale(value)\n\n\ndef word():\n    return "word"\n`,
      ],
      [
        `tests/test_${name}.py`,
        `from app.${name} import add, scaled, word\n${tests}${shared}\n\ndef test_takes_a_word():\n    assert word() == "word"\n`,
      ],
    ] as const;
  }).flat();
  // An environment of the project, as its own setup would make it.
  const packages = [
    '_pytest',
    'py.py',
    'pytest',
    'pytest-*',
    'pluggy*',
    'iniconfig*',
    'packaging*',
    'attr*',
    'coverage*',
  ];
  const from = packages.map((one) => `${modules}/${one}`).join(' ');
  const setup = `set -e\npython3 -m venv --without-pip .venv\ncp -r ${from} .venv/lib/python3*/site-packages/\n`;
  return {
    files: {
      ...Object.fromEntries(files),
      '.gitignore': '__pycache__\n.venv\n',
      'app/__init__.py': '',
      'setup.sh': setup,
      'pytest.ini': '[pytest]\ntestpaths = tests\n',
      '.github/ratchet.yml': `install:\n  detect: false\nsetup:\n  - sh setup.sh\nengines:\n  pytest: {}\n  coverage: {}\ntasks:\n  coverageBelow: 60\n`,
      'app/shared.py': 'def scale(value):\n    return value.times(2)\n',
      'app/gap.py': `def sign(value):\n    if value < 0:\n        name = "negative"\n        return name\n    if value == 0:\n        name = "zero"\n        return name\n    if value > 1000:\n        name = "large"\n        return name\n    return "positive"\n`,
      'tests/test_gap.py': 'from app.gap import sign\n\n\ndef test_positive():\n    assert sign(1) == "positive"\n',
    },
    script: toScript({
      ...{ testStart: 'tests/test_m', testEnd: '.py', start: 'app/m', end: '.py' },
      file: 'tests/test_gap_more.py',
      text: 'from app.gap import sign\n\n\ndef test_negative():\n    assert sign(-1) == "negative"\n\n\ndef test_zero():\n    assert sign(0) == "zero"\n',
      mend: "sed -i 's/value.times(2)/value * 2/' app/shared.py",
    }),
  };
}

function toScript({
  testStart,
  testEnd,
  start,
  end,
  file,
  text,
  mend,
}: Readonly<Record<'testStart' | 'testEnd' | 'start' | 'end' | 'file' | 'text' | 'mend', string>>): object {
  return {
    cases: [
      { when: { prompt: 'to be covered' }, steps: [{ do: 'write', file, text }] },
      ...[1, 2, 3].map((number) => ({
        when: { prompt: `${testStart}${String(number)}${testEnd}` },
        steps: [{ do: 'edit', file: `${start}${String(number)}${end}`, find: 'left - right', replace: 'left + right' }],
      })),
    ],
    steps: [{ do: 'run', command: mend }],
  };
}

const Manifest = z.looseObject({
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});
const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** A toolchain of the operator with what this project has installed of Vitest, its coverage, and all that they need. */
export async function makeVitestChain(folder: string): Promise<void> {
  await makeNodeChain(folder, ['vitest', '@vitest/coverage-v8']);
}

/** A toolchain of the operator with packages that this project has installed, and all that they need. */
export async function makeNodeChain(folder: string, packages: readonly string[]): Promise<void> {
  await mkdir(join(folder, 'bin'), { recursive: true });
  const load = createRequire(import.meta.url);
  const seen = new Set<string>();
  const queue = [...packages];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const from = join(PROJECT, 'node_modules', name);
    if (seen.has(name)) continue;
    seen.add(name);
    const manifest = read(() => load(join(from, 'package.json')));
    if (manifest === null) continue;
    const to = join(folder, 'node_modules', name);
    await mkdir(dirname(to), { recursive: true });
    await cp(from, to, { recursive: true, dereference: true });
    queue.push(...Object.keys(manifest.dependencies), ...Object.keys(manifest.optionalDependencies));
    // What packages inside of it need may lie outside of it.
    for await (const nested of glob('node_modules/{*,@*/*}/package.json', { cwd: from })) {
      queue.push(...Object.keys(read(() => load(join(from, nested)))?.dependencies ?? {}));
    }
  }
}

/** null: another system needs that package. */
function read(load: () => unknown): z.infer<typeof Manifest> | null {
  try {
    return Manifest.parse(load());
  } catch {
    return null;
  }
}
