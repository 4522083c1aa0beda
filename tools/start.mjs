// npm start: installs, builds, and shows the product at work on a brain of its own under .start/.
import { install, run } from './setup.mjs';

install();
const built = run('tools/build.ts');
process.exitCode = built === 0 ? run('tools/start.ts') : built;
