// Makes the pages that the end-to-end tests open: each of pages/*.html, with its
// <script type="module"> bundled, for browsers do not find packages by name.
// Pages that need no more than a library's own build name that build's files and
// are copied as they are.
import { build } from 'esbuild';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from 'svelte/compiler';

const here = fileURLToPath(new URL('.', import.meta.url));
const out = join(here, 'dist');
mkdirSync(out, { recursive: true });

/** Svelte's components are compiled by Svelte. */
const svelte = {
  name: 'svelte',
  setup(b) {
    b.onLoad({ filter: /\.svelte$/ }, ({ path }) => ({
      contents: compile(readFileSync(path, 'utf8'), { filename: path, css: 'injected' }).js.code,
      loader: 'js',
    }));
  },
};

const script = /<script type="module">([\s\S]*?)<\/script>/;

await Promise.all(readdirSync(join(here, 'pages')).filter((f) => f.endsWith('.html')).map(async (file) => {
  const page = readFileSync(join(here, 'pages', file), 'utf8');
  const name = file.replace(/\.html$/, '');
  const source = page.match(script);
  let html = page;
  // An import map is for the browser itself.
  if (source && !page.includes('type="importmap"')) {
    const { outputFiles } = await build({
      stdin: { contents: source[1], resolveDir: join(here, 'pages'), loader: 'tsx', sourcefile: file },
      outfile: join(out, name + '.js'), write: false, bundle: true, minify: true, format: 'esm', target: 'chrome125', logLevel: 'error',
      jsx: 'automatic', define: { 'process.env.NODE_ENV': '"production"' }, conditions: ['browser', 'production'], plugins: [svelte],
      tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: false } },
      loader: { '.ttf': 'dataurl', '.woff': 'dataurl', '.woff2': 'dataurl', '.svg': 'dataurl' },
    });
    let head = '';
    for (const f of outputFiles) {
      writeFileSync(f.path, f.contents);
      if (f.path.endsWith('.css')) head = `<link rel="stylesheet" href="${name}.css">`;
    }
    html = page.replace(source[0], () => `${head}<script type="module" src="${name}.js"></script>`);
  }
  writeFileSync(join(out, file), html);
}));
