// The HTTP server: finds the row of a request in the table of routes, checks its token, answers what was thrown.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { HostId } from '@gbrain/brain-protocol/ids';
import { Refusal } from '../session/refusal.ts';
import { jsonAnswer, refusalAnswer, sendAnswer, toRefusal } from './answer.ts';
import { checkApiToken, findBearer } from './auth.ts';
import type { HttpContext, Route } from './context.ts';
import { HOST_ROUTES } from './host-routes.ts';
import type { Incoming } from './request.ts';
import { SESSION_ROUTES } from './session-routes.ts';

/** Whether the process lives and whether it can serve; public. */
const HEALTH_ROUTES: Route[] = [
  {
    method: 'GET',
    path: '/health/live',
    access: 'public',
    about: 'The process lives.',
    handle: () => jsonAnswer(204, undefined),
  },
  {
    method: 'GET',
    path: '/health/ready',
    access: 'public',
    about: '204 while any worker can serve, else 503. It tests no model, environment or disk.',
    handle({ pool }) {
      if (pool.isReady()) return jsonAnswer(204, undefined);
      throw new Refusal('overloaded', 'No worker can serve.');
    },
  },
];

/** Every route. */
export const ROUTES: readonly Route[] = [...HEALTH_ROUTES, ...SESSION_ROUTES, ...HOST_ROUTES];

interface CompiledRoute {
  route: Route;
  parts: string[];
}

/** A server over the services; it does not listen yet. */
export function createHttpServer(context: HttpContext): Server {
  const compiled = ROUTES.map((route) => ({ route, parts: route.path.split('/') }));
  const server = createServer({ keepAliveTimeout: 65_000 }, (raw, response) => {
    void respond(context, compiled, raw, response);
  });
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    else socket.destroy();
  });
  return server;
}

async function respond(
  context: HttpContext,
  routes: readonly CompiledRoute[],
  raw: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const url = URL.parse(raw.url ?? '/', 'http://brain');
    if (!url) throw new Refusal('invalid_request', 'The path is not valid.');
    const { route, params } = findRoute(routes, raw.method ?? 'GET', url.pathname);
    const { headers, method = 'GET' } = raw;
    const request: Incoming = { method, path: url.pathname, query: url.searchParams, headers, params, raw };
    checkAccess(context, route, request);
    const answer = await route.handle(context, request, response);
    if (answer) sendAnswer(response, answer);
  } catch (error) {
    if (!(error instanceof Refusal)) {
      const { stack = String(error) } = error as Error;
      context.log.error('a request met a bug', {
        method: raw.method,
        path: raw.url?.split('?')[0],
        stack: context.scrub(stack),
      });
    }
    if (response.headersSent) response.destroy();
    else sendAnswer(response, refusalAnswer(toRefusal(error), context.scrub));
    // A body that nobody read must not be taken for the next request.
    if (!raw.complete) response.once('finish', () => raw.destroy());
  }
}

function findRoute(
  routes: readonly CompiledRoute[],
  method: string,
  path: string,
): { route: Route; params: Record<string, string> } {
  const parts = path.split('/');
  let known = false;
  for (const { route, parts: pattern } of routes) {
    if (pattern.length !== parts.length) continue;
    const params = matchParts(pattern, parts);
    if (!params) continue;
    known = true;
    if (route.method === method) return { route, params };
  }
  if (known) throw new Refusal('invalid_request', `The path does not take ${method}.`, { status: 405 });
  throw new Refusal('not_found', 'There is no such path.');
}

function matchParts(pattern: string[], parts: string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const given = parts[index] ?? '';
    if (part.startsWith(':')) {
      try {
        params[part.slice(1)] = decodeURIComponent(given);
      } catch {
        throw new Refusal('invalid_request', 'The path is not valid.');
      }
    } else if (part !== given) return undefined;
  }
  return params;
}

function checkAccess(context: HttpContext, route: Route, request: Incoming): void {
  if (route.access === 'api') checkApiToken(request, context.settings.apiToken);
  if (route.access !== 'host') return;
  const hostId = request.params.host ?? '';
  const valid = HostId.safeParse(hostId).success && context.hosts.isAuthorized(hostId, findBearer(request) ?? '');
  if (!valid) throw new Refusal('unauthorized', 'The bearer token is not that of the host.');
}
