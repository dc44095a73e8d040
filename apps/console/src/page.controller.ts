import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>oneturn console</title><meta name="viewport" content="width=device-width"></head>
<body style="font: 16px/1.6 system-ui; max-width: 40rem; margin: 3rem auto; padding: 0 1rem">
<h1>oneturn console</h1>
<ul>
<li><a href="/api/docs">API</a></li>
<li><a href="/api/conversations">Conversations</a></li>
<li><a href="/api/reviews">Open cases</a></li>
<li><a href="/api/ledger">Ledger</a></li>
<li><a href="/queues">Queues</a></li>
<li><a href="/health/ready">Health</a>, <a href="/metrics">metrics</a></li>
</ul>
<p>With CONSOLE_API_TOKEN set, the browser asks for a login: any name, the token as the password.</p>
</body>
</html>
`;

/** Where to go from here. */
@ApiExcludeController()
@Controller()
export class PageController {
  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  page(): string {
    return PAGE;
  }
}
