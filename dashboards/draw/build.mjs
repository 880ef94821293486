// Bundles what draws a dashboard into one script and one style sheet: node build.mjs PACKAGES OUT
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [packages, out] = process.argv.slice(2);
const { build } = createRequire(join(packages, 'package.json'))('esbuild');
const inline = ['.svg', '.woff', '.woff2', '.ttf', '.png', '.gif', '.wasm'];

await build({
  entryPoints: [join(dirname(fileURLToPath(import.meta.url)), 'draw.jsx')],
  outfile: out,
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  jsx: 'automatic',
  mainFields: ['module', 'browser', 'main'],
  // the packages are kept outside the checkout's own folders
  nodePaths: [join(packages, 'node_modules')],
  define: {
    'process.env.NODE_ENV': '"production"',
    'process.env.NODE_DEBUG': '""',
    'process.env.TEST': '""',
    global: 'window',
  },
  loader: Object.fromEntries(inline.map((kind) => [kind, 'dataurl'])),
  logLevel: 'error',
});
