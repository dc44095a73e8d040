/** `node tools/health.mjs <port>`: ends with 0 when the service on this port of this machine is ready. For containers. */
const answer = await fetch(`http://127.0.0.1:${process.argv[2]}/health/ready`).catch(() => null);
process.exit(answer?.ok === true ? 0 : 1);
