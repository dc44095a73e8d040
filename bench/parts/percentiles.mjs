/** The value below which this share (0 to 1) of the values lies; NaN of none. */
export function percentile(sorted, share) {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}

/** The figures that a latency is spoken of by. */
export function spread(values) {
  const sorted = Float64Array.from(values).sort();
  const at = (share) => percentile(sorted, share);
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: at(1) };
}

/** Points of the curve "so many of a hundred thousand were slower": what a plot of latencies shows. */
export function tail(values) {
  const sorted = Float64Array.from(values).sort();
  const nines = Array.from({ length: 41 }, (_, index) => index / 10);
  return nines
    .filter((nine) => 10 ** nine <= sorted.length)
    .map((nine) => [nine, percentile(sorted, 1 - 10 ** -nine) || sorted[0]]);
}
