/** What a call of the Cloud API gets back. `cut`: the socket is destroyed without an answer. */
export type Answer =
  | { kind: 'json'; status: number; body: object }
  | { kind: 'bytes'; status: number; body: string; headers: Readonly<Record<string, string>> }
  | { kind: 'cut' };
