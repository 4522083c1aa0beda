// A TCP proxy that counts round trips: how often the client spoke after the server had answered.
// It must not know the protocol that passes through.
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A running proxy in front of one server. */
export interface CountingProxy {
  port: number;
  /** Times the client began to send after it had received something, plus the first; over all connections. */
  roundTrips: number;
  /** Cuts every connection that runs through, without a goodbye. */
  cut(): void;
  /** While true, what the server answers is held back; what the client sends still arrives. */
  mute(muted: boolean): void;
  /** Called when an answer was held back. */
  onHeld: () => void;
  close(): Promise<void>;
}

/** Starts a proxy on a free port of this machine. */
export async function openCountingProxy(targetPort: number): Promise<CountingProxy> {
  const sockets = new Set<Socket>();
  let muted = false;
  const held: (() => void)[] = [];
  const proxy: CountingProxy = {
    port: 0,
    roundTrips: 0,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    mute: (on) => {
      muted = on;
      if (!on) for (const send of held.splice(0)) send();
    },
    onHeld: () => {},
    close: () => {
      proxy.cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  const server: Server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    let clientSpeaks = false;
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (chunk) => {
      if (!clientSpeaks) proxy.roundTrips += 1;
      clientSpeaks = true;
      target.write(chunk);
    });
    target.on('data', (chunk) => {
      clientSpeaks = false;
      const send = () => {
        if (!client.destroyed) client.write(chunk);
      };
      if (!muted) return send();
      held.push(send);
      proxy.onHeld();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  proxy.port = (server.address() as { port: number }).port;
  return proxy;
}
