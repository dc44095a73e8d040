import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import * as walls from './tools/parts/lint-walls.mjs';

const specs = ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.e2e-spec.ts'];
const restrictedImports = (options) => ['error', options];

export default tseslint.config(
  { ignores: ['**/node_modules', 'dist', '.data', '.nx', 'coverage', 'libs/inbox/src/generated'] },
  tseslint.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' },
      ],
      // A Nest module is a class with nothing in it.
      '@typescript-eslint/no-extraneous-class': 'off',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'off',
      'prefer-const': 'error',
      'max-lines': ['error', { max: 250 }],
    },
  },
  {
    files: ['{apps,libs,e2e,bench}/**/*.ts', '{apps,libs,e2e,bench}/**/*.tsx'],
    plugins: { '@nx': nx },
    rules: { '@nx/enforce-module-boundaries': walls.wallRule(), 'no-console': 'error' },
  },
  {
    files: ['{apps,libs}/**/*.ts'],
    ignores: specs,
    rules: {
      'no-restricted-imports': restrictedImports(walls.libImports),
      'no-restricted-syntax': ['error', ...walls.environmentSyntax],
    },
  },
  {
    files: ['apps/**/*.ts'],
    ignores: specs,
    rules: { 'no-restricted-imports': restrictedImports(walls.appImports) },
  },
  {
    files: ['apps/simulator/**/*.ts'],
    ignores: specs,
    rules: { 'no-restricted-imports': restrictedImports(walls.simulatorImports) },
  },
  {
    files: ['libs/domain/**/*.ts'],
    ignores: specs,
    rules: {
      'no-restricted-imports': restrictedImports(walls.domainImports),
      'no-restricted-syntax': ['error', ...walls.environmentSyntax, ...walls.domainSyntax],
      'no-restricted-globals': ['error', ...walls.domainGlobals],
    },
  },
  {
    // The one reader of the environment, and the library that hands a run's services to the specs.
    files: ['libs/process/**/*.ts', 'libs/testing/**/*.ts'],
    rules: { 'no-restricted-syntax': 'off', 'no-restricted-imports': 'off' },
  },
  {
    files: specs,
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': walls.wallRule(['type:testing']),
      'no-restricted-syntax': ['error', ...walls.specSyntax],
    },
  },
  { files: ['bench/**', 'e2e/**', 'tools/**', 'apps/*/web/**'], rules: { 'no-console': 'off' } },
);
