import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Syntax that compiles and still is wrong here; each with the reason that the developer reads. */
const bannedSyntax = [
  {
    selector: 'TSNonNullExpression',
    message: 'No `!`: return early, or throw an InvariantError that says what cannot be.',
  },
  {
    selector: 'TSAsExpression[typeAnnotation.typeName.name!="const"]',
    message: 'No `as` but `as const`; a named, tested parse function may disable this with its reason.',
  },
  { selector: 'TSEnumDeclaration', message: 'No enums: a union of string literals.' },
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
  { selector: 'ExportAllDeclaration', message: 'No barrels.' },
  {
    selector: 'CallExpression[callee.property.name="transaction"] > :function[async=true]',
    message: 'Transactions are synchronous: an async one throws at run time and still leaves its rows.',
  },
];

const bannedInCore = [
  { selector: 'AwaitExpression', message: 'core is synchronous.' },
  { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: 'core has no clock: take `now`.' },
];

export default defineConfig(
  {
    ignores: [
      'dist/**',
      'coverage/**',
      'node_modules/**',
      '.stryker-tmp/**',
      'reports/**',
      '.cache/**',
      'test/tools/fixtures/**',
      '**/*.mjs',
      '**/*.cjs',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: 'tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/require-await': 'off',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 12],
      'max-params': ['error', 4],
      'no-restricted-syntax': ['error', ...bannedSyntax],
      'no-else-return': 'error',
      'no-nested-ternary': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/main.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'process', message: 'Only main.ts reads the process; take what you need as an argument.' },
      ],
    },
  },
  {
    files: ['src/core/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...bannedSyntax, ...bannedInCore],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'core has no clock: take `now`.' },
        { object: 'Math', property: 'random', message: 'core has no chance: take `random`.' },
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'max-lines': ['error', { max: 600, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['*.config.ts'], rules: { 'no-restricted-syntax': 'off' } },
);
