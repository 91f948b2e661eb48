// node pictures.mjs PACKAGES CHROMIUM SHOTS: pictures of reports, for docs/pictures.py and docs/gallery.py. SHOTS is JSON: [{page, picture,
// at, width, height, dark}], each a page from an element on, as someone sees it.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [packages, executablePath, shots] = process.argv.slice(2);
const { chromium } = createRequire(join(packages, 'package.json'))('playwright-core');
const browser = await chromium.launch({
  executablePath,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});

for (const { page, picture, at, width = 1000, height = 560, dark = false } of JSON.parse(shots)) {
  const view = await (await browser.newContext({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' })).newPage();
  await view.goto(pathToFileURL(page).href);
  await view.waitForSelector('html[data-ready]');
  await view.locator(at).first().evaluate((element) => {
    scrollTo({ top: element.getBoundingClientRect().top + scrollY - 56, behavior: 'instant' });
  });
  await view.waitForFunction(() => [...document.querySelectorAll('.chart:not([hidden])')].every((box) => {
    const place = box.getBoundingClientRect();
    return place.bottom < 0 || place.top > innerHeight || box.dataset.drawn === 'yes';
  }));
  await view.waitForTimeout(300);
  await view.screenshot({ path: picture });
  await view.context().close();
}
await browser.close();
