const project = (displayName, testRegex, ignored = []) => ({
  displayName,
  rootDir: import.meta.dirname,
  testRegex,
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['oneturn', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/dist/', '<rootDir>/.data/', ...ignored],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        },
        module: { type: 'es6' },
      },
    ],
  },
});

export default {
  // Pure specs and those with real services in one run; those that start processes, which fill the machine, in another;
  // the torture run by itself.
  projects: [
    project('specs', ['\\.(spec|int-spec)\\.(ts|mjs)$']),
    project('e2e', ['\\.e2e-spec\\.ts$'], ['<rootDir>/e2e/torture/', '<rootDir>/e2e/overlap/scenarios']),
    project('scenarios', ['/e2e/overlap/scenarios\\.e2e-spec\\.ts$']),
    project('torture', ['/e2e/torture/.*\\.e2e-spec\\.ts$']),
  ],
  testTimeout: 30_000,
  // An unclosed queue would keep the run alive for minutes; what a spec leaves open is its own defect to see.
  forceExit: true,
};
