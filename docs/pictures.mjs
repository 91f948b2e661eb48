// node pictures.mjs PACKAGES CHROMIUM PAGE FOLDER: pictures of a report, for docs/pictures.py.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [packages, executablePath, page, folder] = process.argv.slice(2);
const { chromium } = createRequire(join(packages, 'package.json'))('playwright-core');
const browser = await chromium.launch({
  executablePath,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});

/** The page from an element on, as someone sees it. */
async function shoot(name, selector, { width = 1000, height = 560, colorScheme = 'light' } = {}) {
  const view = await (await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' })).newPage();
  await view.goto(pathToFileURL(page).href);
  await view.waitForSelector('html[data-ready]');
  await view.locator(selector).first().evaluate((element) => {
    scrollTo({ top: element.getBoundingClientRect().top + scrollY - 56, behavior: 'instant' });
  });
  await view.waitForFunction(() => [...document.querySelectorAll('.chart')].every((box) => {
    const at = box.getBoundingClientRect();
    return at.bottom < 0 || at.top > innerHeight || box.dataset.drawn === 'yes';
  }));
  await view.waitForTimeout(300);
  await view.screenshot({ path: join(folder, `${name}.png`) });
  await view.context().close();
}

await shoot('top', 'h1');
await shoot('curves', 'section#pingpong');
await shoot('spread', 'section#allreduce h3.part', { colorScheme: 'dark' });
await shoot('phone', 'section#bcast', { width: 360, height: 640 });
await browser.close();
