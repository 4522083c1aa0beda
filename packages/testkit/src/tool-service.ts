// A service on loopback that speaks `environment/v1`: runs what a test says, and counts every operation.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EnvironmentOperation, EnvironmentReceipt } from '@gbrain/brain-protocol/environment-wire';

/** One operation as it arrived. */
export type ToolOperation = EnvironmentOperation['operation'];

/** The running service. */
export interface ToolService {
  url: string;
  operations: ToolOperation[];
  close(): Promise<void>;
}

/** Decides each receipt; undefined never answers. The default answers every operation with its sequence. */
export type ToolScript = (
  operation: ToolOperation,
) => EnvironmentReceipt | undefined | Promise<EnvironmentReceipt | undefined>;

/** Starts a service on a free port. */
export async function startToolService(
  script: ToolScript = ({ sequence }) => ({ type: 'result', output: { sequence } }),
): Promise<ToolService> {
  const operations: ToolOperation[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { operation } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as EnvironmentOperation;
    operations.push(operation);
    const receipt = await script(operation);
    if (!receipt) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ contract: 'environment/v1', sequence: operation.sequence, receipt }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    operations,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
