// The file layer under the embedded engine: Node's files, with the syncing that the engine's own layer leaves out.
// It must not know SQL; it sees paths, bytes and syncs only.
import * as fs from 'node:fs';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** Everything the engine did to its files that a crash could undo. Paths are relative to the data folder. */
export type FileOperation =
  | { kind: 'create' | 'mkdir' | 'unlink' | 'rmdir' | 'sync'; path: string }
  | { kind: 'write'; path: string; position: number; bytes: Uint8Array }
  | { kind: 'truncate'; path: string; sizeBytes: number }
  | { kind: 'rename'; path: string; to: string };

/** Sees every operation before it happens; an error with a system code (ENOSPC) that it throws fails the operation. */
export type FileObserver = (operation: FileOperation) => void;

interface Node {
  name: string;
  parent: Node;
  mount: { opts: { root: string } };
}
interface Stream {
  nfd?: number;
  node: Node;
  flags: number;
  isLog?: boolean;
}
interface NodeOps {
  mknod(parent: Node, name: string, mode: number, dev: number): unknown;
  setattr(node: Node, attributes: { size?: number }): void;
  rename(node: Node, parent: Node, name: string): void;
  unlink(parent: Node, name: string): void;
  rmdir(parent: Node, name: string): void;
}
interface StreamOps {
  open(stream: Stream): void;
  setattr(stream: Stream, attributes: { size?: number }): void;
  write(stream: Stream, buffer: Uint8Array, offset: number, length: number, position: number): number;
  fsync?(stream: Stream): number;
}
interface EngineModule {
  NODEFS: { node_ops: NodeOps; stream_ops: StreamOps; tryFSOperation<T>(work: () => T): T };
}
type Init = NodeFS['init'];

const createFlag = 0o100;
const truncateFlag = 0o1000;

/** Path of a node inside the data folder, with `/`. */
function pathOf(node: Node, name?: string): string {
  const parts: string[] = name === undefined ? [] : [name];
  for (let at = node; at.parent !== at; at = at.parent) parts.unshift(at.name);
  return parts.join('/');
}

/**
 * Files of one data folder. With `durable`, a sync of the engine reaches the disk (folders too); without, it is
 * dropped, for stores that may vanish. Counts what is written to the write-ahead log.
 */
export class EngineFiles extends NodeFS {
  /** Bytes written to the write-ahead log since the count was last set to 0. */
  walBytes = 0;
  readonly #durable: boolean;
  readonly #observe: FileObserver | undefined;

  constructor(dataDir: string, durable: boolean, observe?: FileObserver) {
    super(dataDir);
    this.#durable = durable;
    this.#observe = observe;
  }

  override async init(...[pg, options]: Parameters<Init>): ReturnType<Init> {
    const { emscriptenOpts } = await super.init(pg, options);
    const install = (module: unknown) => {
      const { NODEFS } = module as EngineModule;
      this.#install(NODEFS);
      if (this.#observe) watch(NODEFS, this.#observe);
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), install] } };
  }

  #install({ stream_ops, tryFSOperation }: EngineModule['NODEFS']): void {
    const { open, write } = stream_ops;
    stream_ops.open = (stream) => {
      open(stream);
      // A new segment is filled with zeros under another name first; that is no log yet.
      stream.isLog = stream.node.parent.name === 'pg_wal' && !stream.node.name.startsWith('xlogtemp');
    };
    stream_ops.write = (stream, buffer, offset, length, position) => {
      const written = write(stream, buffer, offset, length, position);
      if (stream.isLog) this.walBytes += written;
      return written;
    };
    stream_ops.fsync = (stream) => {
      if (this.#durable) tryFSOperation(() => syncStream(stream));
      return 0;
    };
  }
}

function syncStream(stream: Stream): void {
  try {
    fs.fsyncSync(stream.nfd as number);
  } catch (error) {
    // Windows opens no folders for writing; its file system keeps their entries in a journal of its own.
    const code = (error as { code?: string }).code;
    if (process.platform !== 'win32' || (code !== 'EPERM' && code !== 'EBADF')) throw error;
  }
}

/** Puts an observer before each operation; for tests that replay or break what the engine writes. */
function watch({ node_ops, stream_ops, tryFSOperation }: EngineModule['NODEFS'], observe: FileObserver): void {
  const see = (operation: FileOperation) => tryFSOperation(() => observe(operation));
  const nodes = { ...node_ops };
  const streams = { ...stream_ops };
  const isFolder = (mode: number) => (mode & 0o170000) === 0o040000;
  node_ops.mknod = (parent, name, mode, dev) => {
    see({ kind: isFolder(mode) ? 'mkdir' : 'create', path: pathOf(parent, name) });
    return nodes.mknod(parent, name, mode, dev);
  };
  node_ops.setattr = (node, attributes) => {
    if (attributes.size !== undefined) see({ kind: 'truncate', path: pathOf(node), sizeBytes: attributes.size });
    nodes.setattr(node, attributes);
  };
  node_ops.rename = (node, parent, name) => {
    see({ kind: 'rename', path: pathOf(node), to: pathOf(parent, name) });
    nodes.rename(node, parent, name);
  };
  node_ops.unlink = (parent, name) => {
    see({ kind: 'unlink', path: pathOf(parent, name) });
    nodes.unlink(parent, name);
  };
  node_ops.rmdir = (parent, name) => {
    see({ kind: 'rmdir', path: pathOf(parent, name) });
    nodes.rmdir(parent, name);
  };
  stream_ops.open = (stream) => {
    const path = pathOf(stream.node);
    if ((stream.flags & truncateFlag) !== 0) see({ kind: 'truncate', path, sizeBytes: 0 });
    else if ((stream.flags & createFlag) !== 0) see({ kind: 'create', path });
    streams.open(stream);
  };
  stream_ops.setattr = (stream, attributes) => {
    if (attributes.size !== undefined) see({ kind: 'truncate', path: pathOf(stream.node), sizeBytes: attributes.size });
    streams.setattr(stream, attributes);
  };
  stream_ops.write = (stream, buffer, offset, length, position) => {
    see({ kind: 'write', path: pathOf(stream.node), position, bytes: buffer.slice(offset, offset + length) });
    return streams.write(stream, buffer, offset, length, position);
  };
  stream_ops.fsync = (stream) => {
    see({ kind: 'sync', path: pathOf(stream.node) });
    return streams.fsync?.(stream) ?? 0;
  };
}
