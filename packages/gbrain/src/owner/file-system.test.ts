// Which file systems hold a lock, from what the systems themselves print.
import { describe, expect, test } from 'vitest';
import { type Mount, mountOf, networkFileSystem, parseMacMounts, parseMountInfo } from './file-system.ts';

const EXT4 = 0xef53;
const FUSE = 0x65735546;
const NINE_P = 0x01021997;
const on = (fsType: string, ...options: string[]): Mount => ({ mountPoint: '/', fsType, options });

describe('networkFileSystem on Linux', () => {
  const check = (name: string | null, magic: number, mount?: Mount) =>
    expect(networkFileSystem({ platform: 'linux', path: '/x', magic, ...(mount ? { mount } : {}) })).toBe(name);

  test('takes kernel file systems by their number', () => {
    check(null, EXT4, on('ext4'));
    check(null, 0x9123683e, on('btrfs'));
    check(null, 0x01021994, on('tmpfs'));
    check(null, 0x794c7630, on('overlay'));
    check('NFS', 0x6969, on('nfs4'));
    check('CIFS', 0xff534d42, on('cifs'));
    check('Ceph', 0x00c36400);
  });

  test('takes a number that came signed for the same one', () => {
    check('CIFS', 0xff534d42 | 0);
    check('SMB2', 0xfe534d42 | 0);
    check(null, 0x9123683e | 0, on('btrfs'));
  });

  test('refuses every FUSE driver that is not known to be local', () => {
    check('FUSE (sshfs)', FUSE, on('fuse.sshfs'));
    check('FUSE (rclone)', FUSE, on('fuse.rclone'));
    check('FUSE (unknown)', FUSE);
    check('FUSE (virtiofs)', FUSE, on('virtiofs'));
    check(null, FUSE, on('fuseblk'));
    check(null, FUSE, on('fuse.gocryptfs'));
  });

  test('tells a sandbox root from a shared 9p folder', () => {
    check(null, NINE_P, on('9p', 'rw', 'trans=fd', 'rfdno=4', 'wfdno=4', 'aname=/'));
    check('9p', NINE_P, on('9p', 'rw', 'trans=virtio'));
    check('9p', NINE_P, on('9p', 'rw', 'trans=tcp'));
    check('9p', NINE_P, on('9p', 'rw', 'aname=drvfs;path=C:\\', 'trans=fd'));
    check('9p', NINE_P);
  });
});

test('networkFileSystem on macOS goes by the local flag', () => {
  const mounts = parseMacMounts(
    [
      '/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)',
      '/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse, protect)',
      '//ann@nas/share on /Volumes/my share (smbfs, nodev, nosuid, mounted by ann)',
      'not a mount',
    ].join('\n'),
  );
  const check = (path: string) => {
    const mount = mountOf(path, mounts);
    return networkFileSystem({ platform: 'darwin', path, ...(mount ? { mount } : {}) });
  };
  expect(mounts).toHaveLength(3);
  expect(check('/System/Volumes/Data/Users/ann/.gbrain')).toBe(null);
  expect(check('/Volumes/my share/brain')).toBe('smbfs');
});

test('networkFileSystem on Windows refuses shares', () => {
  const check = (path: string) => networkFileSystem({ platform: 'win32', path });
  expect(check('C:\\Users\\ann\\.gbrain')).toBe(null);
  expect(check('\\\\?\\C:\\Users\\ann\\.gbrain')).toBe(null);
  expect(check('\\\\nas\\share\\brain')).toBe('a network share');
  expect(check('//nas/share/brain')).toBe('a network share');
  expect(check('\\\\?\\UNC\\nas\\share')).toBe('a network share');
});

test('mountOf finds the deepest mount, the last one where they are stacked', () => {
  const mounts = parseMountInfo(
    [
      '22 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
      '40 22 0:35 / /home rw,nosuid shared:2 - nfs4 srv:/home rw,vers=4.2',
      '41 22 0:36 / /mnt/a\\040b rw - fuse.sshfs ann@srv: rw,user_id=1000',
      '42 40 0:37 / /home rw - ext4 /dev/vdb rw',
      'broken line',
    ].join('\n'),
  );
  expect(mountOf('/etc', mounts)?.fsType).toBe('ext4');
  expect(mountOf('/homes/x', mounts)?.mountPoint).toBe('/');
  expect(mountOf('/home/ann', mounts)?.options).toEqual(['rw', 'rw']);
  expect(mountOf('/home/ann', mounts)?.fsType).toBe('ext4');
  expect(mountOf('/mnt/a b/brain', mounts)?.fsType).toBe('fuse.sshfs');
});
