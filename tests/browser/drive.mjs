// node drive.mjs PACKAGES CHROMIUM SCENARIO PAGE: opens a report in headless Chromium, does what a person would do, and
// prints what was seen as JSON. What is right is up to test_page.py.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [packages, executablePath, scenario, file] = process.argv.slice(2);
const { chromium } = createRequire(join(packages, 'package.json'))('playwright-core');

const seen = { requests: [], console: [], errors: [], dialogs: 0 };
const browser = await chromium.launch({
  executablePath,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});

async function open({ width = 1200, colorScheme = 'light' } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, acceptDownloads: true });
  const page = await context.newPage();
  page.on('request', (request) => { if (request.url() !== pathToFileURL(file).href) seen.requests.push(request.url()); });
  page.on('console', (message) => seen.console.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => seen.errors.push(error.message));
  page.on('dialog', (dialog) => {
    seen.dialogs += 1;
    void dialog.dismiss();
  });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('html[data-ready]', { timeout: 20000 });
  return page;
}

/** Goes through the page as a reader does, until all charts are drawn. */
async function readAll(page) {
  for (const chart of await page.$$('.chart')) {
    await chart.evaluate((box) => box.scrollIntoView({ behavior: 'instant', block: 'center' }));
    await page.waitForFunction((box) => box.dataset.drawn === 'yes', chart, { timeout: 10000 });
  }
}

/** Of each chart: how many of its pixels have a colour. Axes and words are grey. */
const charts = (page) => page.$$eval('.chart', (boxes) => boxes.map((box) => {
  let coloured = 0;
  for (const canvas of box.querySelectorAll('canvas')) {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] > 200 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 50) coloured += 1;
    }
  }
  return { section: box.closest('section').id, title: box.dataset.title, label: box.getAttribute('aria-label'), coloured, height: box.offsetHeight };
}));

const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const figure = (page, section, title) => page.locator(`section#${section} figure`).filter({ has: page.locator(`h3:text-is("${title}")`) });
const caption = (page, section, title) => figure(page, section, title).locator('figcaption').innerText();
const picture = (page, section, title) => figure(page, section, title).locator('canvas').evaluate((canvas) => canvas.toDataURL().length + canvas.toDataURL().slice(-4000));

/** Unfolds the numbers of a figure with the keyboard and downloads them. */
async function downloaded(page, box) {
  await box.locator('summary').focus();
  await page.keyboard.press('Enter');
  const [download] = await Promise.all([page.waitForEvent('download'), box.getByRole('button', { name: 'Download CSV' }).click()]);
  return { name: download.suggestedFilename(), csv: readFileSync(await download.path(), 'utf8') };
}

const scenarios = {
  async look() {
    const found = {};
    for (const width of [360, 1200, 1600]) {
      const page = await open({ width });
      const before = await page.evaluate(() => document.documentElement.scrollHeight);
      await readAll(page);
      found[width] = { overflow: await overflow(page), charts: await charts(page), grew: await page.evaluate(() => document.documentElement.scrollHeight) - before };
      await page.context().close();
    }
    return found;
  },

  async pick() {
    const page = await open();
    await readAll(page);
    const captions = async () => ({ time: await caption(page, 'bcast', 'Time against message size'), histogram: await caption(page, 'bcast', 'Histogram'),
      function: await caption(page, 'bcast', 'Distribution function'), processes: await caption(page, 'bcast', 'Process by process') });
    const size = page.locator('section#bcast').getByLabel('Size', { exact: true });
    const found = { start: await captions() };
    await size.selectOption({ index: 0 });
    found.control = await captions();
    await page.locator('section#bcast').getByLabel('Processes', { exact: true }).selectOption({ index: 0 });
    found.procs = await captions();
    await figure(page, 'bcast', 'Histogram').locator('.chart').focus();
    await page.keyboard.press('ArrowRight');
    found.key = await captions();
    found.keySize = await size.evaluate((select) => select.options[select.selectedIndex].text);
    const chart = figure(page, 'bcast', 'Time against message size').locator('.chart');
    const box = await chart.boundingBox();
    await chart.click({ position: { x: box.width - 30, y: box.height / 2 } });
    found.click = await captions();
    found.clickSize = await size.evaluate((select) => select.options[select.selectedIndex].text);
    found.others = await caption(page, 'pingpong', 'Time against message size');
    return found;
  },

  async explore() {
    const page = await open();
    await readAll(page);
    const at = page.locator('section#bcast .explorer');
    const state = async () => ({ caption: await caption(page, 'bcast', 'Histogram'), picture: await picture(page, 'bcast', 'Histogram') });
    const found = { start: await state(), hiddenRanks: await at.getByLabel('ranks').isHidden() };
    await at.getByLabel('Times of').selectOption({ label: 'all processes' });
    found.all = await state();
    await at.getByLabel('Times of').selectOption({ label: 'some processes' });
    await at.getByLabel('ranks').fill('1-2');
    found.some = await state();
    await at.getByLabel('ranks').fill('1-');
    found.invalid = await at.getByLabel('ranks').getAttribute('aria-invalid');
    await at.getByLabel('Axis').selectOption({ label: 'linear' });
    found.linear = await state();
    return found;
  },

  async theme() {
    const page = await open({ colorScheme: 'dark' });
    await readAll(page);
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const found = { dark: await ground(), darkPicture: await picture(page, 'bcast', 'Time against message size') };
    await page.getByLabel('Colours').selectOption({ label: 'light' });
    found.light = await ground();
    found.lightPicture = await picture(page, 'bcast', 'Time against message size');
    await page.getByLabel('Colours').selectOption({ label: 'auto' });
    found.auto = await ground();
    return found;
  },

  async table() {
    const page = await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const box = figure(page, 'bcast', 'Time against message size');
    const found = { ...await downloaded(page, box), rows: await box.locator('tbody tr').count() };
    await box.getByRole('button', { name: 'Copy' }).click();
    await box.getByText('Copied.').waitFor();
    found.copied = await page.evaluate(() => navigator.clipboard.readText());
    return found;
  },

  async compare() {
    const page = await open();
    await readAll(page);
    const title = await page.locator('section#bcast h3', { hasText: 'Time as a multiple' }).innerText();
    const top = page.locator('section#top');
    const found = { top: await top.innerText(), caption: await caption(page, 'bcast', title), ...await downloaded(page, figure(page, 'bcast', title)) };
    await top.getByRole('link', { name: 'See the chart' }).first().click();
    found.run = await page.locator('section#bcast').getByLabel('Run', { exact: true }).evaluate((select) => select.options[select.selectedIndex].text);
    return found;
  },

  async keyboard() {
    const page = await open();
    const names = [];
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      names.push(await page.evaluate(() => `${document.activeElement.tagName} ${document.activeElement.className} ${document.activeElement.textContent.slice(0, 20)}`));
    }
    const unnamed = await page.$$eval('select, input, button, [tabindex="0"][role]', (all) => all.filter((one) =>
      !(one.labels?.length || one.getAttribute('aria-label') || one.textContent.trim())).length);
    return { names, unnamed };
  },

  async print() {
    const page = await open({ colorScheme: 'dark' });
    const pdf = await page.pdf({ preferCSSPageSize: true });
    const found = { bytes: pdf.length, drawn: await page.$$eval('.chart', (all) => all.filter((one) => one.dataset.drawn === 'yes').length),
      charts: await page.locator('.chart').count() };
    await page.emulateMedia({ media: 'print' });
    found.ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    return found;
  },

  async links() {
    const page = await open();
    const dead = await page.$$eval('a[href^="#"]', (all) => all.filter((one) => !document.getElementById(one.getAttribute('href').slice(1))).map((one) => one.href));
    const finding = page.locator('ol.findings a').first();
    const found = { dead, findings: await page.locator('ol.findings > li').count() };
    if (found.findings > 0) {
      const target = (await finding.getAttribute('href')).slice(1);
      await finding.click();
      await page.waitForFunction((id) => Math.abs(document.getElementById(id).getBoundingClientRect().top) < innerHeight, target, { timeout: 5000 });
    }
    return found;
  },

  async analyses() {
    const page = await open();
    await readAll(page);
    const size = page.locator('section#bcast').getByLabel('Size', { exact: true });
    const panels = async () => Object.fromEntries(await page.locator('section#bcast .panel:visible').evaluateAll((all) =>
      all.map((one) => [one.querySelector('h3').textContent, one.innerText])));
    const found = { findings: await page.locator('ol.findings > li').allInnerTexts(), before: await panels(), grew: 0 };
    await page.locator('ol.findings a').first().click();
    await page.waitForFunction(() => location.hash === '#bcast-spread');
    found.size = await size.evaluate((select) => select.options[select.selectedIndex].text);
    found.picked = await panels();
    found.processes = await caption(page, 'bcast', 'Process by process');
    await page.getByRole('button', { name: 'Pick it' }).first().click();
    found.noted = await size.evaluate((select) => select.options[select.selectedIndex].text);
    found.charts = await charts(page);
    return found;
  },

  async injection() {
    const page = await open();
    await readAll(page);
    for (const summary of await page.$$('summary')) await summary.evaluate((one) => { one.parentElement.open = true; });
    await page.waitForTimeout(300);
    return {
      text: await page.evaluate(() => document.body.innerText),
      title: await page.title(),
      foreign: await page.evaluate(() => document.querySelectorAll('img, iframe, object, embed, svg, video, audio, form, link, base, [onerror], [onload], [onclick], [style*="url"]').length),
      scripts: await page.locator('script').count(),
      bolds: await page.$$eval('b', (all) => all.map((one) => one.textContent)),
      attacked: await page.evaluate(() => 'attacked' in window),
    };
  },

  async speed() {
    const page = await open();
    const ready = Number(await page.evaluate(() => document.documentElement.dataset.ready));
    // Interactive: the first chart is drawn and a control has answered.
    await page.waitForSelector('.chart', { timeout: 20000 });
    const begin = Date.now();
    await page.locator('section.operation').first().getByLabel('Size', { exact: true }).selectOption({ index: 1 });
    const answered = Date.now() - begin;
    await readAll(page);
    return { ready_ms: ready, answer_ms: answered, charts: await page.locator('.chart').count() };
  },
};

try {
  const found = await scenarios[scenario]();
  console.log(JSON.stringify({ ...seen, found }));
} finally {
  await browser.close();
}
