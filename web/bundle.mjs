// node bundle.mjs WEB PACKAGES OUTPUT.cpp: bundles WEB/src into one script and one style, and writes them as a C++ file.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [web, packages, output] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(packages, 'package.json'));
const esbuild = require('esbuild');

const common = {
  bundle: true, minify: true, write: false, target: 'es2021', charset: 'ascii', logLevel: 'warning',
  nodePaths: [join(packages, 'node_modules')],
};
const text = async (entry, options) =>
  (await esbuild.build({ ...common, ...options, entryPoints: [join(web, 'src', entry)] })).outputFiles[0].text.trim();

const script = await text('main.ts', {
  format: 'iife', platform: 'browser', legalComments: 'inline', define: { 'process.env.NODE_ENV': '"production"' },
});
const style = await text('page.css', {});

// The end of an element within it would end it too early, and a comment would begin something else.
for (const [name, content] of [['script', script], ['style', style]]) {
  if (new RegExp(`</${name}|<!--`, 'i').test(content)) {
    console.error(`the ${name} cannot be embedded: it holds "</${name}" or "<!--"`);
    process.exit(1);
  }
  if (/[^\x00-\x7f]/.test(content)) {
    console.error(`the ${name} has letters that are not ASCII`);
    process.exit(1);
  }
}

// String literals of more than 64 KiB are not standard C++.
const pieces = (content) => {
  const found = [];
  for (let at = 0; at < content.length; at += 60000) found.push(content.slice(at, at + 60000));
  return found;
};
const array = (name, content) => {
  const parts = pieces(content);
  return `constexpr std::array<std::string_view, ${parts.length}> ${name}{\n${parts
    .map((part) => `R"fathom~(${part})fathom~"`).join(',\n')}};\n`;
};
const hash = (content) => 'sha256-' + createHash('sha256').update(content).digest('base64');

writeFileSync(output, `#include <array>

#include "report/page/page_bundle.hpp"

namespace fathom::report {
namespace {
${array('script', script)}${array('style', style)}}  // namespace

const PageBundle& page_bundle() {
    static constexpr PageBundle bundle{script, style, "${hash(script)}", "${hash(style)}", {}};
    return bundle;
}

}  // namespace fathom::report
`);
