/**
 * Prepares a clone: installs, generates the database client, builds to dist/. Each step only when something changed,
 * so that every command can call it first. Needs nothing but Node.
 */
import { buildProjects, generateClient } from './parts/build.mjs';
import { Failure, runTool } from './parts/failure.mjs';
import { installDependencies } from './parts/install.mjs';
import { takeLock } from './parts/lock.mjs';
import { at, isProgram } from './parts/paths.mjs';

/** Refuses a Node that the dependencies do not run on (`engines` in package.json). */
function checkNode(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Failure(`Node 20.19 or newer is needed, this is ${version}`);
  }
}

/**
 * Brings the clone to the state in which everything can run. Safe to call from several processes at once.
 * @throws {Failure} with a message for the person at the keyboard.
 */
export async function setup(say = (line) => console.log(line)) {
  checkNode();
  const release = await takeLock(at('.data', 'setup.lock'), (pid) => say(`waiting for another setup (pid ${pid}) ...`));
  try {
    await installDependencies(say);
    await generateClient(say);
    await buildProjects(say);
  } finally {
    release();
  }
}

if (isProgram(import.meta.url)) await runTool('setup', () => setup());
