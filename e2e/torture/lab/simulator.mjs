/** The control API of the simulator, which plays the channel. It is never struck itself. */
export function simulatorAt(url) {
  const control = async (path, body, method = body === undefined ? 'GET' : 'POST') => {
    const response = await again(() =>
      fetch(`${url}/control/${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    if (!response.ok) throw new Error(`control/${path} answered ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  let seen = 0;
  return {
    url,
    control,
    /** Sends that have arrived and are not answered yet, among the latest ones. */
    async openSends() {
      const calls = await control(`log?kind=send&after=${Math.max(0, seen - 40)}`);
      seen = Math.max(seen, ...calls.map((call) => call.n));
      return calls.filter((call) => call.status === null);
    },
    /** Every call of the channel's API. */
    calls: () => control('log'),
    webhooks: (after = 0) => control(`webhooks?after=${after}`),
    faults: () => control('faults'),
  };
}

/** A kept connection may be closed by the other side in the moment in which it is used. */
async function again(call) {
  for (let tries = 3; ; tries--) {
    try {
      return await call();
    } catch (error) {
      if (tries === 1) throw error;
    }
  }
}
