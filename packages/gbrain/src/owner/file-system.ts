// Whether kernel locks in a folder exclude every process that can see it; knows nothing of what is locked.
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync, statfsSync } from 'node:fs';
import { OwnerFault } from './owner-fault.ts';

/** One mounted file system as the system lists it. */
export interface Mount {
  mountPoint: string;
  /** `ext4`, `nfs4`, `fuse.sshfs`, `9p`, ... */
  fsType: string;
  /** Mount and superblock options. */
  options: readonly string[];
}

/** What is known of a folder's file system. */
export interface FileSystemFacts {
  platform: NodeJS.Platform;
  /** Absolute path with links resolved. */
  path: string;
  /** `statfs` type on Linux. */
  magic?: number;
  mount?: Mount;
}

// Source: linux/magic.h and the drivers' own headers.
const NETWORK_MAGIC: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x564c, 'NCP'],
  [0x73757245, 'Coda'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x19830326, 'BeeGFS'],
  [0x786f4256, 'VirtualBox shared folder'],
  [0xbacbacbc, 'VMware shared folder'],
]);
const FUSE_MAGIC = 0x65735546;
const NINE_P_MAGIC = 0x01021997;

/** FUSE drivers that keep their data on this machine; every other one is taken for a remote. */
const LOCAL_FUSE = new Set(
  ['fuseblk', 'ntfs-3g', 'exfat', 'ext2', 'gocryptfs', 'encfs', 'cryfs', 'securefs', 'mergerfs', 'bindfs'].concat([
    'unionfs',
    'fuse-overlayfs',
    'zfs',
    'shfs',
  ]),
);

/**
 * Gives the name of the network (or machine-crossing) file system that holds the folder, or null where kernel locks
 * are safe. An unknown type is taken for local; an unknown FUSE driver is not.
 */
export function networkFileSystem(facts: FileSystemFacts): string | null {
  if (facts.platform === 'win32')
    return /^[\\/]{2}(?![.?][\\/](?!UNC[\\/]))/i.test(facts.path) ? 'a network share' : null;
  if (facts.platform === 'darwin') {
    if (!facts.mount || facts.mount.options.includes('local')) return null;
    return facts.mount.fsType;
  }
  // Node gives a signed or unsigned number by platform; the magic is 32 bits.
  const magic = facts.magic === undefined ? undefined : facts.magic >>> 0;
  const named = magic === undefined ? undefined : NETWORK_MAGIC.get(magic);
  if (named) return named;
  const fsType = facts.mount?.fsType ?? '';
  if (magic === FUSE_MAGIC || fsType.startsWith('fuse') || fsType === 'virtiofs') {
    const driver = fsType.replace(/^fuse\./, '');
    return LOCAL_FUSE.has(driver) ? null : `FUSE (${driver || 'unknown'})`;
  }
  if (magic === NINE_P_MAGIC || fsType === '9p') return unsafe9p(facts.mount) ? '9p' : null;
  return null;
}

/**
 * A 9p mount over inherited descriptors is how a sandbox kernel (gVisor) shows its own root, with locks of its own.
 * Over TCP or virtio, and for the drives of the Windows host, processes outside this kernel see the files unlocked.
 */
function unsafe9p(mount: Mount | undefined): boolean {
  if (!mount) return true;
  const has = (prefix: string) => mount.options.some((option) => option.startsWith(prefix));
  return !has('trans=fd') || has('aname=drvfs');
}

/** Parses `/proc/self/mountinfo`; lines that do not fit are left out. Source: proc_pid_mountinfo(5). */
export function parseMountInfo(text: string): Mount[] {
  const unquote = (field: string) =>
    field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  return text.split('\n').flatMap((line) => {
    const [left, right] = line.split(' - ');
    const head = left?.split(' ') ?? [];
    const tail = right?.split(' ') ?? [];
    if (!head[4] || !tail[0]) return [];
    const options = [...(head[5] ?? '').split(','), ...(tail[2] ?? '').split(',')];
    return [{ mountPoint: unquote(head[4]), fsType: tail[0], options }];
  });
}

/** Parses the list that `mount` prints on macOS: `/dev/disk1 on / (apfs, local, journaled)`. */
export function parseMacMounts(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const found = /^.* on (\/.*) \(([^)]*)\)$/.exec(line);
    const [fsType, ...options] = (found?.[2] ?? '').split(', ');
    return found && fsType ? [{ mountPoint: found[1] as string, fsType, options }] : [];
  });
}

/** The mount that holds `path`: the deepest mount point above it, the last mounted where several are stacked. */
export function mountOf(path: string, mounts: readonly Mount[]): Mount | undefined {
  let best: Mount | undefined;
  for (const mount of mounts) {
    const base = mount.mountPoint === '/' ? '/' : `${mount.mountPoint}/`;
    if (path !== mount.mountPoint && !path.startsWith(base)) continue;
    if (!best || mount.mountPoint.length >= best.mountPoint.length) best = mount;
  }
  return best;
}

function readFacts(folder: string): FileSystemFacts {
  const platform = process.platform;
  const path = realpathSync.native(folder);
  if (platform === 'linux') {
    return { platform, path, magic: statfsSync(path).type, mount: mountOf(path, parseMountInfo(readMountInfo())) };
  }
  if (platform === 'darwin') {
    const mounts = execFileSync('/sbin/mount', { encoding: 'utf8', timeout: 5000 });
    return { platform, path, mount: mountOf(path, parseMacMounts(mounts)) };
  }
  return { platform, path };
}

function readMountInfo(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    // Without /proc the statfs type decides alone; it is enough for every kernel file system.
    return '';
  }
}

/** Throws OwnerFault `network_file_system` where the folder's locks would not exclude a process elsewhere. */
export function requireLocalFileSystem(folder: string): void {
  const name = networkFileSystem(readFacts(folder));
  if (name === null) return;
  throw new OwnerFault(
    'network_file_system',
    folder,
    `${folder} is on ${name}, where a lock does not keep out other machines: keep the brain on a local disk, ` +
      'or use a Postgres server for a brain that several machines share',
  );
}
