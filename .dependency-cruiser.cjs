/**
 * The import table of src/README.md, as rules. `row(folder, …allowed)`: what the files of a folder may import beside each other.
 * Paths are regular expressions.
 */
const row = (name, from, allowed, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: `^src/${from}` },
  to: { pathNot: [`^src/${from}`, ...allowed] },
});

const ours = (...folders) => `^src/(${folders.join('|')})/`;
const node = (...modules) => `^(node:)?(${modules.join('|')})$`;
const npm = (...packages) => `^node_modules/(${packages.join('|')})/`;

const PURE_PARSERS = npm(
  'leven',
  'mdast-util-(from-markdown|gfm-footnote|gfm-strikethrough|gfm-table)',
  'micromark-extension-gfm-(footnote|strikethrough|table)',
  '@types/mdast',
  'picomatch',
  '@types/picomatch',
  'semver',
  '@types/semver',
  '@secretlint/secretlint-rule-preset-recommend',
  '@secretlint/types',
);

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      comment: 'The only cycle of the system goes through the queue.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'folders-are-acyclic',
      scope: 'folder',
      severity: 'error',
      comment: 'A folder can be read after those that it imports.',
      from: { path: '^src' },
      to: { circular: true },
    },
    {
      name: 'core-is-pure',
      severity: 'error',
      comment: 'core imports core, and from npm only pure, synchronous parsers.',
      from: { path: '^src/core/', pathNot: '^src/core/hash/' },
      to: { pathNot: [ours('core'), PURE_PARSERS] },
    },
    row(
      'hashing-is-pure',
      'core/hash/',
      [node('crypto')],
      'The only place where the core imports Node: hashing is no I/O.',
    ),
    row('model-stands-alone', 'core/model/', [], 'The nouns import nothing but each other.'),
    row(
      'catalogue-is-pure',
      'engines/',
      [ours('core'), node('path', 'util', 'vm'), npm('zod', 'fast-xml-parser', '@friedemannsommer/lcov-parser')],
      'Declarations and pure parsers of tools: core, and libraries that parse.',
    ),
    row('ports-are-types-of-the-core', 'ports/', [ours('core/model')], 'A port speaks in the nouns of core/model.'),
    row('schemas-are-our-formats', 'schemas/', [ours('core', 'ports'), npm('zod')], 'JSON formats of our own.'),
    row(
      'payloads-are-githubs-formats',
      'payloads/',
      [ours('core', 'schemas'), node('crypto'), npm('zod')],
      'What GitHub answers, mapped to our nouns.',
    ),
    row(
      'config-is-read-from-text',
      'config/',
      [ours('core'), node('crypto', 'path', 'fs/promises', 'net'), npm('zod', 'yaml')],
      'Environment and policy files.',
    ),
    row(
      'pipeline-knows-core-and-ports',
      'pipeline/',
      [ours('core', 'ports', 'engines'), '^src/config/(policy-file|workflow-file)', node('crypto')],
      'The flow calls ports and core, and no adapter. Hashing is no I/O.',
    ),
    {
      name: 'flow-knows-sites-only',
      severity: 'error',
      comment: 'Mounts, slots and folders of this machine are for the adapters that make sites.',
      from: { path: '^src/pipeline/' },
      to: { path: '^src/ports/sandbox\\.ts$' },
    },
    row(
      'web-answers-requests',
      'web/',
      [ours('core', 'ports', 'schemas'), node('crypto', 'events', 'http', 'net')],
      'The HTTP server and the admin API: what they do is given to them.',
    ),
    row(
      'webhooks-are-the-edge',
      'webhooks/',
      [
        ours('core', 'ports', 'web'),
        node('crypto', 'http', 'stream', 'util'),
        npm('zod', 'probot', 'pino', '@octokit/.*'),
      ],
      'The edge stores what GitHub sends, and answers.',
    ),
    row('system-stands-alone', 'system/', ['^(?!src/)'], 'What several adapters need of the operating system.'),
    {
      name: 'adapters-are-islands',
      severity: 'error',
      comment: 'An adapter imports core, ports, schemas, payloads, system and its own library, never another adapter.',
      from: { path: '^src/adapters/([^/]+)/' },
      to: { path: '^src/', pathNot: ['^src/adapters/$1/', ours('core', 'ports', 'schemas', 'payloads', 'system')] },
    },
    {
      name: 'commands-of-the-command-line',
      severity: 'error',
      comment: 'A command parses its arguments, and leaves the work to the core or to a composition root.',
      from: { path: '^src/cli/' },
      to: {
        path: '^src/',
        pathNot: ours(
          'cli',
          'core',
          'schemas',
          'payloads',
          'config',
          'engines',
          'compose',
          'pipeline/engines',
          'ports',
        ),
      },
    },
    {
      name: 'only-compose-imports-adapters',
      severity: 'error',
      comment: 'The composition roots alone know which adapter implements a port.',
      from: { path: '^src/', pathNot: ours('adapters', 'compose') },
      to: { path: '^src/adapters/' },
    },
    {
      name: 'only-commands-compose',
      severity: 'error',
      comment: 'A composition root is started by a command.',
      from: { path: '^src/', pathNot: ours('cli', 'compose') },
      to: { path: '^src/compose/' },
    },
    { name: 'nothing-imports-main', severity: 'error', from: {}, to: { path: '^src/main\\.ts$' } },
    {
      name: 'only-main-runs-commands',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/main\\.ts$' },
      to: { path: '^src/run-cli\\.ts$' },
    },
    {
      name: 'main-knows-commands',
      severity: 'error',
      comment: 'They read the environment and start a command.',
      from: { path: '^src/(?:main|run-cli)\\.ts$' },
      to: { path: '^src/', pathNot: ['^src/run-cli\\.ts$', ours('cli', 'core', 'config', 'schemas', 'system')] },
    },
    {
      name: 'src-stands-alone',
      severity: 'error',
      comment: 'The product knows neither its tests nor the local GitHub.',
      from: { path: '^src/' },
      to: { path: '^(test|world|bench|eval|demo|scripts)/' },
    },
    {
      name: 'no-tools-in-src',
      severity: 'error',
      comment: 'What src imports is bundled, or installed with the product. Tools that build and test it are neither.',
      from: { path: '^src/' },
      to: {
        path: '^node_modules/(@biomejs|@stryker-mutator|@vitest|autocannon|dependency-cruiser|drizzle-kit|emulate|esbuild|fast-check|knip|nock|oxlint|typescript|vitest)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    { name: 'not-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
