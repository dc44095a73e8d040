/** What a service counts, in the format of Prometheus, behind /metrics. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** From 1 ms to a minute, for everything between an insert and a turn. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** One per service. Every series carries the label `service`; names begin with `oneturn_`. */
export class Metrics {
  readonly registry = new Registry();

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
    collectDefaultMetrics({ register: this.registry });
  }

  counter<L extends string = never>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return new Counter<L>({ name: `oneturn_${name}`, help, labelNames: [...labelNames], registers: [this.registry] });
  }

  /** @param collect called at each scrape, to set the value then. */
  gauge<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    collect: (gauge: Gauge<L>) => void | Promise<void> = () => undefined,
  ): Gauge<L> {
    return new Gauge<L>({
      name: `oneturn_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
      collect() {
        return collect(this);
      },
    });
  }

  /** Durations in seconds. */
  histogram<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    buckets: readonly number[] = SECONDS,
  ): Histogram<L> {
    return new Histogram<L>({
      name: `oneturn_${name}`,
      help,
      labelNames: [...labelNames],
      buckets: [...buckets],
      registers: [this.registry],
    });
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }
}
