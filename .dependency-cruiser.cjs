/** The import table of src/README.md, as rules. */
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
      name: 'core-is-pure',
      severity: 'error',
      comment: 'core imports core, and from npm only pure, synchronous parsers.',
      from: { path: '^src/core/', pathNot: '^src/core/hash/sha256\\.ts$' },
      to: {
        pathNot:
          '^src/core/|^node_modules/(mdast-util-from-markdown|@types/mdast|picomatch|@types/picomatch|semver|@types/semver)/',
      },
    },
    {
      name: 'hashing-is-pure',
      severity: 'error',
      comment: 'The one place where the core takes something from Node: hashing is no I/O.',
      from: { path: '^src/core/hash/' },
      to: { pathNot: '^(node:)?crypto$' },
    },
    {
      name: 'catalogue-is-pure',
      severity: 'error',
      comment: 'Declarations and pure parsers of tools: core, and libraries that parse.',
      from: { path: '^src/engines/' },
      to: {
        pathNot:
          '^src/(engines|core)/|^(node:)?(path|util|vm)$|^node_modules/(zod|fast-xml-parser|@friedemannsommer/lcov-parser)/',
      },
    },
    {
      name: 'ports-are-types-of-the-core',
      severity: 'error',
      comment: 'A port speaks in the nouns of core/model and other ports.',
      from: { path: '^src/ports/' },
      to: { pathNot: '^src/(ports|core/model)/' },
    },
    {
      name: 'pipeline-knows-core-and-ports',
      severity: 'error',
      comment: 'The flow calls ports and core; it knows no adapter. Hashing is no I/O.',
      from: { path: '^src/pipeline/' },
      to: { pathNot: '^src/(pipeline|core|ports|engines|config/policy-file)|^(node:)?crypto$' },
    },
    {
      name: 'admin-knows-core-ports-and-the-edge',
      severity: 'error',
      comment:
        'The admin API is told what to do things with; of the edge it takes how bodies are read and answers sent.',
      from: { path: '^src/admin/' },
      to: {
        pathNot:
          '^src/(admin|core|ports|schemas)/|^src/webhooks/(answer|read-body|refusal|refusal-log)\\.ts$|^(node:)?(crypto|http)$',
      },
    },
    {
      name: 'system-knows-nothing-of-ours',
      severity: 'error',
      comment: 'What several adapters need of the operating system alike.',
      from: { path: '^src/system/' },
      to: { path: '^src/', pathNot: '^src/system/' },
    },
    {
      name: 'adapters-are-islands',
      severity: 'error',
      comment: 'An adapter imports the core, ports, schemas, system and its own library, never another adapter.',
      from: { path: '^src/adapters/([^/]+)/' },
      to: { path: '^src/(adapters|webhooks|pipeline|cli|compose|main|config)', pathNot: '^src/adapters/$1/' },
    },
    {
      name: 'only-compose-imports-adapters',
      severity: 'error',
      comment: 'The composition roots (of the App, and of `check`) alone know which adapter stands behind a port.',
      from: { path: '^src/', pathNot: '^src/(adapters/|compose(-check)?\\.ts$)' },
      to: { path: '^src/adapters/' },
    },
    {
      name: 'nothing-imports-main',
      severity: 'error',
      from: {},
      to: { path: '^src/main\\.ts$' },
    },
    {
      name: 'src-stands-alone',
      severity: 'error',
      comment: 'The product knows neither its tests nor the local GitHub.',
      from: { path: '^src/' },
      to: { path: '^(test|world|bench|demo|scripts)/' },
    },
    {
      name: 'no-development-packages-in-src',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
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
