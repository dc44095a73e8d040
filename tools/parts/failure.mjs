/** A failure whose message is all that the person at the keyboard needs: printed as one line, without a stack. */
export class Failure extends Error {}

/**
 * Runs a tool's main function and turns its end into the process's exit code.
 * A Failure prints one line; anything else is a defect and prints its stack.
 */
export async function runTool(name, main) {
  try {
    const code = await main();
    process.exit(typeof code === 'number' ? code : 0);
  } catch (error) {
    if (error instanceof Failure) console.error(`${name}: ${error.message}`);
    else console.error(`${name}:`, error);
    process.exit(1);
  }
}
