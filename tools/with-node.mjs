// Runs a TypeScript tool under the project's own Node: node tools/with-node.mjs tools/x.ts [args].
import { install, run } from './setup.mjs';

install();
process.exitCode = run(process.argv[2], process.argv.slice(3));
