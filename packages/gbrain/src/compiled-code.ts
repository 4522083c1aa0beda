// Where the compiled form of the built program is kept between starts. It loads nothing but Node's own modules.
import { existsSync } from 'node:fs';
import { constants, enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Compiling the code is most of what a short command does before it starts, so the result is kept: beside the code, or
 * in a home that exists where that folder is not ours to write. A cache that cannot be read or written is none. Each
 * thread has to ask for itself; from source nothing is kept.
 */
export function keepCompiledCode(home?: string): void {
  if (import.meta.url.endsWith('.ts')) return;
  const { status } = enableCompileCache(fileURLToPath(new URL('code-cache', import.meta.url)));
  const isRefused = status === constants.compileCacheStatus.FAILED;
  if (isRefused && home !== undefined && existsSync(home)) enableCompileCache(join(home, 'cache', 'code'));
}
