// What the handlers of routes reach. It holds no state of its own.
import type { ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import type { ControlService } from '../effects/control.ts';
import type { HostService } from '../effects/hosts.ts';
import type { ModelService } from '../effects/model.ts';
import type { Providers } from '../effects/providers.ts';
import type { ToolService } from '../effects/tool.ts';
import type { Journal } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import type { Hub } from '../session/hub.ts';
import type { SessionService } from '../session/sessions.ts';
import type { Settings } from '../settings.ts';
import type { Pool } from '../workers/pool.ts';
import type { Answer } from './answer.ts';
import type { Idempotency } from './idempotency.ts';
import type { Incoming } from './request.ts';

/** The services of a server. */
export interface HttpContext {
  settings: Settings;
  clock: Clock;
  log: Log;
  journal: Journal;
  hub: Hub;
  pool: Pool;
  providers: Providers;
  sessions: SessionService;
  models: ModelService;
  tools: ToolService;
  control: ControlService;
  hosts: HostService;
  idempotency: Idempotency;
  /** Takes sealed values of resident sessions out of text. */
  scrub(text: string): string;
  /** Streams that are open, to be ended with the server. */
  streams: Set<() => void>;
}

/** Who may call a route: anybody, the API token's holder, a host with its token, or whom the handler lets in. */
export type Access = 'public' | 'api' | 'host' | 'own';

/** One row of the table of routes. `:name` in the path names a part. An undefined answer was streamed. */
export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  access: Access;
  /** One sentence for the generated page. */
  about: string;
  /** Names of the shapes of its body and of its answer, as in the protocol's catalogue. */
  body?: string;
  answer?: string;
  /** True when it needs an `Idempotency-Key`. */
  once?: boolean;
  handle(
    context: HttpContext,
    request: Incoming,
    response: ServerResponse,
  ): Promise<Answer | undefined> | Answer | undefined;
}
