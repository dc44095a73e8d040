import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, type HealthCheckResult } from '@nestjs/terminus';
import { Readiness, type ReadinessCheck } from './readiness.js';
import { withTimeout } from './time.js';

/** A check that hangs is a check that fails: probes have little patience themselves. */
const CHECK_MS = 2000;

@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly readiness: Readiness,
  ) {}

  /** 200 as long as the process answers at all. */
  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** 200 when every check passes, else 503 with the reasons; 503 from the first moment of a graceful stop. */
  @Get('ready')
  async ready(): Promise<HealthCheckResult> {
    if (this.readiness.draining) throw new ServiceUnavailableException({ status: 'draining' });
    return this.health.check(
      [...this.readiness.checks].map(
        ([name, check]) =>
          () =>
            this.indicate(name, check),
      ),
    );
  }

  private async indicate(name: string, check: ReadinessCheck) {
    const indicator = this.indicators.check(name);
    try {
      await withTimeout(check(), CHECK_MS, `no answer within ${CHECK_MS} ms`);
      return indicator.up();
    } catch (error) {
      return indicator.down(error instanceof Error ? error.message : String(error));
    }
  }
}
