/**
 * Who may import whom, by the tags in the project.json files. The reasons stand in docs/ARCHITECTURE.md; that these
 * walls bite is proven by tools/lint-canary.mjs.
 */
const allowed = {
  'type:app': ['type:adapter', 'type:process', 'type:domain'],
  'type:compose': ['type:app', 'type:adapter', 'type:process', 'type:domain'],
  'type:adapter': ['type:domain', 'type:process'],
  'type:process': ['type:domain'],
  'type:domain': [],
  'type:testing': ['type:domain'],
  'type:e2e': ['type:app', 'type:compose', 'type:adapter', 'type:process', 'type:domain', 'type:testing'],
  'type:tools': [],
};

/** @param {string[]} extra tags that every project may use here: the testing library, in specs. */
export const wallRule = (extra = []) => [
  'error',
  {
    allow: [],
    enforceBuildableLibDependency: false,
    depConstraints: Object.entries(allowed).map(([sourceTag, onlyDependOnLibsWithTags]) => ({
      sourceTag,
      onlyDependOnLibsWithTags: [...onlyDependOnLibsWithTags, ...extra],
    })),
  },
];

/** The simulator stands for the channels, so it must not share an understanding (or a mistake) with our code. */
export const simulatorImports = {
  patterns: [
    { regex: '^#(?!process$)', message: 'the simulator shares no code with the system that it tests' },
    ...clientModules(),
  ],
};

/** Apps reach the database and Redis through libs/inbox and libs/queue alone. */
export const appImports = { patterns: clientModules(), paths: processModule() };

/** Adapters and the rest: the environment has one reader. */
export const libImports = { paths: processModule() };

/** The domain knows nothing but itself. */
export const domainImports = {
  patterns: [{ regex: '^(?!\\.{1,2}/)', message: 'the domain imports nothing but its own files' }],
};

/** Things that make a decision depend on more than its arguments. */
export const domainSyntax = [
  { selector: ':function[async=true]', message: 'a decision is a pure function: no async in the domain' },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'time is an argument (now)' },
  { selector: "MemberExpression[object.name='Date'][property.name='now']", message: 'time is an argument (now)' },
  { selector: "CallExpression[callee.name='Date']", message: 'time is an argument (now)' },
  { selector: "MemberExpression[object.name='Math'][property.name='random']", message: 'chance is an argument' },
];

/** Globals that do I/O, tell time or chance, or start timers. */
export const domainGlobals = [
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'performance', 'crypto', 'fetch', 'process'],
  ...['console', 'globalThis'],
].map((name) => ({ name, message: 'the domain does no I/O and has no clock' }));

/** The environment is read once, in libs/process. */
export const environmentSyntax = [
  {
    selector: "MemberExpression[object.name='process'][property.name='env']",
    message: 'the environment is read in libs/process, once',
  },
];

/** What makes a test slow, flaky, or a test of its own mocks. */
export const specSyntax = [
  {
    selector: "NewExpression[callee.name='Promise'] CallExpression[callee.name='setTimeout']",
    message: 'never sleep in a test: wait for a signal, or use eventually()',
  },
  {
    selector: "ImportDeclaration[source.value='node:timers/promises']",
    message: 'never sleep in a test: wait for a signal, or use eventually()',
  },
  {
    selector: "CallExpression[callee.object.name='jest'][callee.property.name=/^(mock|doMock|unstable_mockModule)$/]",
    message: 'no module mocks: tests run on the real thing',
  },
];

function clientModules() {
  return [
    {
      regex: '^(@prisma/|prisma$|ioredis$|pg$)',
      message: 'apps reach the database and Redis through libs/inbox and libs/queue',
    },
  ];
}

function processModule() {
  return ['process', 'node:process'].map((name) => ({
    name,
    message: 'use the global; the environment is read in libs/process',
  }));
}
