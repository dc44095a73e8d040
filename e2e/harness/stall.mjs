/** Loaded into a service by NODE_OPTIONS: at SIGUSR2 its event loop stands still for STALL_MS, as behind a long computation. */
import process from 'node:process';

process.on('SIGUSR2', () => {
  process.stdout.write('the event loop stands still\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(process.env.STALL_MS));
});
