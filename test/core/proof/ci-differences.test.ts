import { describe, expect, it } from 'vitest';
import { toDifferences } from '../../../src/core/proof/ci-differences.ts';
import { type CiPlace, findCiPlace } from '../../../src/core/proof/ci-place.ts';

const NOTHING: CiPlace = { services: [], secrets: [], tools: [], systems: [], image: null };
const setup = (tool: string, input: string, version: unknown) => ({
  uses: `actions/setup-${tool}@v4`,
  with: { [input]: version },
});
const workflow = (job: object, more: object = {}) => ({ on: 'push', jobs: { test: job }, ...more });
const placeOf = (job: object, checks: readonly string[] = ['test'], more: object = {}) =>
  findCiPlace([workflow(job, more)], checks);

describe('what a job of CI has', () => {
  it('are its services, secrets, toolchains, system and image, as its workflow file names them', () => {
    const job = {
      'runs-on': ['self-hosted', 'windows-latest'],
      container: { image: 'node:18-alpine' },
      services: { postgres: { image: 'postgres:16' }, redis: null },
      env: { DATABASE: '${{ secrets.DATABASE_URL }}', TOKEN: '${{ secrets.GITHUB_TOKEN }}' },
      steps: [
        { uses: 'actions/checkout@v4' },
        setup('node', 'node-version', 20),
        setup('python', 'python-version', '3.12'),
        setup('go', 'go-version', '1.22.x'),
        setup('java', 'java-version', '21'),
        { uses: 'ruby/setup-ruby@v1', with: { 'ruby-version': '3.3' } },
        { uses: 'dtolnay/rust-toolchain@1.75.0' },
        { run: 'npm test', env: { KEY: '${{ secrets.API_KEY }}' } },
      ],
    };

    expect(placeOf(job, ['test'], { env: { NPM: '${{ secrets.NPM_TOKEN }}' } })).toEqual({
      services: ['postgres', 'redis'],
      secrets: ['DATABASE_URL', 'API_KEY', 'NPM_TOKEN'],
      systems: ['windows-latest'],
      image: 'node:18-alpine',
      tools: [
        { name: 'Node', version: '20' },
        { name: 'Python', version: '3.12' },
        { name: 'Go', version: '1.22.x' },
        { name: 'Java', version: '21' },
        { name: 'Ruby', version: '3.3' },
        { name: 'Rust', version: '1.75.0' },
      ],
    });
  });

  it('is nothing where nothing is asked for', () => {
    expect(placeOf({ 'runs-on': 'ubuntu-latest', container: 'node:20', steps: [{ run: 'npm test' }] })).toEqual({
      ...{ ...NOTHING, image: 'node:20' },
    });
    const versionless = [{ uses: 'actions/setup-node@v4' }, { uses: 'dtolnay/rust-toolchain@stable' }];
    expect(placeOf({ 'runs-on': '${{ matrix.os }}', steps: versionless })).toEqual(NOTHING);
  });

  it.each([
    ['by its id', {}, 'test', '${{ matrix.node }}'],
    ['by its id with the values of its matrix', {}, 'test (18, windows-latest)', '18'],
    ['by its name', { name: 'Unit tests' }, 'Unit tests', '${{ matrix.node }}'],
    ['by its name with the values of its matrix', { name: 'Unit' }, 'Unit (18, windows-latest)', '18'],
    [
      'by a name with values in it',
      { name: 'Node ${{ matrix.node }} on ${{matrix.os}}' },
      'Node 18 on windows-latest',
      '18',
    ],
    ['by other values than the keys of its matrix', {}, 'test (18)', '${{ matrix.node }}'],
  ])('is known %s', (_how, named, check, version) => {
    const matrix = { node: [18, 20], os: ['ubuntu-latest', 'windows-latest'], include: [{}] };
    const keys = { node: matrix.node, os: matrix.os, exclude: {} };
    const job = {
      ...named,
      strategy: { matrix: keys },
      'runs-on': '${{ matrix.os }}',
      steps: [setup('node', 'node-version', '${{ matrix.node }}')],
    };

    const place = placeOf(job, [check]);

    expect(place.tools).toEqual([{ name: 'Node', version }]);
    expect(place.systems).toEqual(version === '18' ? ['windows-latest'] : []);
  });

  it.each([
    ['another job', 'lint', {}],
    ['a name that only begins like it', 'test me', {}],
    ['a name that only begins like it, with a bracket', 'test (18', {}],
    ['a name that lacks a value', 'Node  on linux', { name: 'Node ${{ matrix.node }} on ${{ matrix.os }}' }],
    ['a name with another end', 'Node 18 on', { name: 'Node ${{ matrix.node }} on ${{ matrix.os }}!' }],
    ['a name without its end', 'Node 18 on linux', { name: 'Node ${{ matrix.node }} on ${{ matrix.os }}!' }],
    ['a name with another beginning', 'Nod 18', { name: 'Node ${{ matrix.node }}' }],
    ['a name without the middle', 'Node 18', { name: 'Node ${{ matrix.node }} on ${{ matrix.os }}' }],
  ])('is not known of %s', (_what, check, named) => {
    expect(placeOf({ ...named, services: { redis: {} } }, [check])).toEqual(NOTHING);
  });

  it('is not known of a check that may be of two jobs', () => {
    const twice = workflow({ services: { redis: {} } });

    expect(findCiPlace([twice, twice], ['test'])).toEqual(NOTHING);
    expect(findCiPlace([twice, { jobs: { lint: {} } }], ['test', 'test'])).toMatchObject({ services: ['redis'] });
  });

  it.each([null, 'text', 7, ['a'], { test: 'x' }, { test: { steps: 'x', services: ['a'], strategy: 3 } }])(
    'is nothing of jobs that are %j',
    (jobs) => {
      expect(findCiPlace([{ jobs }], ['test', 'test (1)'])).toEqual(NOTHING);
    },
  );

  it('is bounded', () => {
    const services = Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`s${String(index)}`.repeat(99), {}]));
    const steps = Array.from({ length: 99 }, (_, index) => setup('node', 'node-version', index));
    const place = placeOf({ services, steps: [...steps, ...steps] });

    expect([place.services.length, place.services[0]?.length, place.tools.length]).toEqual([10, 100, 10]);
  });
});

describe('in what CI differs from here', () => {
  it('is told in one sentence each', () => {
    const place = {
      services: ['postgres'],
      secrets: ['A', 'B'],
      systems: ['windows-latest'],
      image: 'node:18',
      tools: [],
    };

    expect(toDifferences(place, new Map())).toEqual([
      'CI runs services beside its job, and there are none here: "postgres".',
      'CI gives secrets to its job, and there are none here: "A", "B".',
      'CI runs on "windows-latest", and here it is the Linux of this machine.',
      'CI runs in the image "node:18", and not in this sandbox.',
    ]);
    expect(toDifferences(NOTHING, new Map())).toEqual([]);
  });

  it.each([
    ['18', 'v24.21.0', ['CI uses Node 18, and here it is 24.21.0.']],
    ['18.x', 'v18.20.1', []],
    ['18', 'v18.20.1', []],
    ['v18.20.1', 'v18.20.1', []],
    ['18.2', 'v18.20.1', ['CI uses Node 18.2, and here it is 18.20.1.']],
    ['1', 'v18.20.1', ['CI uses Node 1, and here it is 18.20.1.']],
    ['lts/*', 'v24.21.0', ['CI uses Node lts/*, and here it is 24.21.0.']],
    ['18', null, ['CI uses Node 18, and there is none here.']],
    ['18', 'it is broken', ['CI uses Node 18, and there is none here.']],
    ['${{ matrix.node }}', 'v24.21.0', []],
  ])('of the version %s beside %j is %j', (version, printed, told) => {
    const place = { ...NOTHING, tools: [{ name: 'Node', version }] } as const;

    expect(toDifferences(place, new Map([['Node', printed]]))).toEqual(told);
  });

  it('is not told of a toolchain that nobody asked', () => {
    expect(toDifferences({ ...NOTHING, tools: [{ name: 'Go', version: '1.22' }] }, new Map())).toEqual([]);
  });
});
