// Seals model keys and credentials for storage, and opens them again. Where the sealed bytes lie is not its matter.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataPaths } from './data-dir.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals and opens values with one master key; a value opens only under the names that it was sealed with. */
export interface Sealer {
  seal(sessionId: string, name: string, text: string): Uint8Array;
  /** Undefined when the key, the names or the bytes are not those of the sealing. */
  unseal(sessionId: string, name: string, sealed: Uint8Array): string | undefined;
}

/** A sealer (AES-256-GCM) over a key of 32 bytes. */
export function createSealer(key: Uint8Array): Sealer {
  if (key.length !== KEY_BYTES) throw new Error(`a master key has ${KEY_BYTES} bytes, not ${key.length}`);
  return {
    seal(sessionId, name, text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(Buffer.from(`${sessionId}\n${name}`));
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    unseal(sessionId, name, sealed) {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(`${sessionId}\n${name}`));
      decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
      try {
        const body = sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch {
        // The tag does not match: another key, other names, or damaged bytes. The cipher says no more than that.
        return undefined;
      }
    },
  };
}

/** The key in `BRAIN_MASTER_KEY`: 32 bytes as hex or base64. Throws when it is neither. */
export function parseMasterKey(text: string): Uint8Array {
  const key = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES) throw new Error('BRAIN_MASTER_KEY must be 32 bytes, as 64 hex digits or base64');
  return key;
}

/** The key of a data folder: the given one, else that of its 0600 file, which is made the first time. */
export function readMasterKey(paths: DataPaths, given: string | undefined): Uint8Array {
  if (given !== undefined) return parseMasterKey(given);
  const path = join(paths.sealed, 'master.key');
  if (!existsSync(path))
    writeFileSync(path, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flush: true });
  chmodSync(path, 0o600);
  return parseMasterKey(readFileSync(path, 'utf8').trim());
}

/** The key when it is at hand, without making one. */
export function findMasterKey(paths: DataPaths, given: string | undefined): Uint8Array | undefined {
  if (given !== undefined) return parseMasterKey(given);
  const path = join(paths.sealed, 'master.key');
  return existsSync(path) ? parseMasterKey(readFileSync(path, 'utf8').trim()) : undefined;
}
