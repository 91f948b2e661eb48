// node drive.mjs PACKAGES CHROMIUM: opens reports in headless Chromium, does what a person would do, and says what was seen. Each line
// of the input is a request: {"scenario", "page", "choices": [[section, label of a control, option or text], ...]}; each line of the
// output answers one: {"requests", "console", "errors", "dialogs", "found"}, or {"failed"}. What is right is up to the tests.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [packages, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(join(packages, 'package.json'))('playwright-core');

// Of the request that is being answered.
let file, choices, seen;
const browser = await chromium.launch({
  executablePath,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});

/** `before`: done with the empty page. `fragment`: of the address, `touch`: with fingers. `watch`: text that is drawn is kept in window.drawn, places of dashed vertical lines in `uprights` of their canvas. */
async function open({ width = 1200, colorScheme = 'light', watch = false, fragment = '', touch = false, before = () => {} } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, acceptDownloads: true, hasTouch: touch, isMobile: touch, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.on('request', (request) => { if (request.url().split('#')[0] !== pathToFileURL(file).href && !request.url().startsWith('blob:')) seen.requests.push(request.url()); });
  page.on('console', (message) => seen.console.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => seen.errors.push(error.message));
  page.on('dialog', (dialog) => {
    seen.dialogs += 1;
    void dialog.dismiss();
  });
  if (watch) {
    await page.addInitScript(() => {
      window.drawn = new Set();
      const draw = CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
        window.drawn.add(text);
        draw.call(this, text, ...more);
      };
      let path = [];
      for (const name of ['beginPath', 'moveTo', 'lineTo', 'stroke']) {
        const real = CanvasRenderingContext2D.prototype[name];
        CanvasRenderingContext2D.prototype[name] = function (...given) {
          if (name === 'beginPath') path = [];
          else if (name !== 'stroke') path.push(given);
          else if (path.length === 2 && path[0][0] === path[1][0] && this.getLineDash().length > 0) (this.canvas.uprights ??= new Set()).add(path[0][0]);
          return real.apply(this, given);
        };
      }
    });
  }
  await before(page);
  await page.goto(pathToFileURL(file).href + fragment);
  await page.waitForSelector('html[data-ready]', { timeout: 20000 });
  return page;
}

/** Goes through the page as a reader does, until all charts are drawn. */
async function readAll(page) {
  for (const chart of await page.$$('.chart:not([hidden])')) {
    await chart.evaluate((box) => box.scrollIntoView({ behavior: 'instant', block: 'center' }));
    await page.waitForFunction((box) => box.dataset.drawn === 'yes', chart, { timeout: 30000 });
  }
}

/** Of each chart: how many of its pixels have a colour, and which colours have many. Axes and words are grey. */
const charts = (page) => page.$$eval('.chart:not([hidden])', (boxes) => boxes.map((box) => {
  let coloured = 0;
  const many = new Map();
  for (const canvas of box.querySelectorAll('canvas')) {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] > 200 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 50) {
        coloured += 1;
        const colour = `#${[data[i], data[i + 1], data[i + 2]].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
        many.set(colour, (many.get(colour) ?? 0) + 1);
      }
    }
  }
  return { section: box.closest('section').id, title: box.dataset.title, label: box.getAttribute('aria-label'), coloured,
    colours: [...many].filter(([, count]) => count > 100).map(([colour]) => colour) };
}));

const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const figure = (page, section, title) => page.locator(`section#${section} figure`).filter({ has: page.locator(`h3:text-is("${title}")`) });
const caption = (page, section, title) => figure(page, section, title).locator('figcaption').innerText();
/** As it is drawn when it is near the screen; a chart far from it waits. */
async function picture(page, section, title) {
  const chart = figure(page, section, title).locator('.chart');
  await chart.evaluate((box) => box.scrollIntoView({ behavior: 'instant', block: 'center' }));
  await page.waitForFunction((box) => box.matches('[data-drawn="yes"]:not([data-stale])'), await chart.elementHandle(), { timeout: 20000 });
  return chart.locator('canvas').evaluate((canvas) => canvas.toDataURL().length + canvas.toDataURL().slice(-4000));
}

/** Unfolds the numbers of a figure with the keyboard and downloads them. */
async function downloaded(page, box) {
  await box.locator('summary').focus();
  if (await box.locator('summary').evaluate((one) => !one.parentElement.open)) await page.keyboard.press('Enter');
  const [download] = await Promise.all([page.waitForEvent('download'), box.getByRole('button', { name: 'Download CSV' }).click()]);
  return { name: download.suggestedFilename(), csv: readFileSync(await download.path(), 'utf8') };
}

/** What is copied of a table. */
async function copied(page, box) {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await box.getByRole('button', { name: 'Copy', exact: true }).click();
  await box.getByText('Copied.').waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

const unfoldAll = (page) => page.$$eval('details', (all) => all.forEach((one) => { one.open = true; }));

/** All text: captions, labels and tables of charts, panels, options of controls; by section. */
const words = (page) => page.$$eval('section', (sections) => {
  const rows = (box) => [...box.querySelectorAll('tr')].map((row) => [...row.cells].map((one) => one.textContent));
  return Object.fromEntries(sections.map((section) => [section.id, {
    text: section.innerText,
    charts: Object.fromEntries([...section.querySelectorAll('figure')].map((box) => [box.querySelector('h3').textContent,
      { caption: box.querySelector('figcaption').textContent, label: box.querySelector('.chart').getAttribute('aria-label'), rows: rows(box), hidden: box.hidden,
        drawn: !box.querySelector('.chart').hidden, numbers: !box.querySelector('details').hidden }])),
    panels: Object.fromEntries([...section.querySelectorAll('.panel:not([hidden])')].map((box) => [box.querySelector('h2, h3')?.textContent, box.innerText])),
    controls: Object.fromEntries([...section.querySelectorAll('.control')].map((box) => [box.querySelector('label').textContent,
      [...box.querySelectorAll('option')].map((one) => one.textContent)])),
    picked: Object.fromEntries([...section.querySelectorAll('select')].map((one) => [one.labels[0].textContent, one.selectedOptions[0].textContent])),
  }]));
});

async function choose(page, [section, label, text]) {
  const control = page.locator(`section#${section}`).getByLabel(label, { exact: true });
  if (await control.evaluate((one) => one.tagName === 'SELECT')) await control.selectOption({ label: text });
  else await control.fill(text);
}

const scenarios = {
  /** Words at the beginning and after each choice. */
  async texts() {
    const page = await open();
    await unfoldAll(page);
    const found = [await words(page)];
    for (const choice of choices) {
      await choose(page, choice);
      found.push(await words(page));
    }
    return found;
  },

  /** The tables of some charts, as CSV. */
  async csv() {
    const page = await open();
    const found = {};
    for (const [section, title] of choices) {
      const box = title ? figure(page, section, title) : page.locator(`section#${section} > details`);
      found[title || section] = (await downloaded(page, box)).csv;
    }
    return found;
  },

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

  async painted() {
    const page = await open({ watch: true });
    await readAll(page);
    for (const choice of choices) await choose(page, choice);
    return { charts: await charts(page), drawn: await page.evaluate(() => [...window.drawn]) };
  },

  /** What the pointer brings up at places all over the charts: its lines and the room that they take, in pixels of the chart. */
  async tooltips() {
    const page = await open({ before: (empty) => empty.addInitScript(() => {
      // What is on a canvas now: a picture begins by clearing it.
      const clear = CanvasRenderingContext2D.prototype.clearRect;
      CanvasRenderingContext2D.prototype.clearRect = function (...given) {
        this.canvas.texts = [];
        clear.apply(this, given);
      };
      const draw = CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
        const { a, d, e, f } = this.getTransform();
        const size = this.measureText(text);
        const scale = this.canvas.width / this.canvas.clientWidth;
        (this.canvas.texts ??= []).push({ text, box: [e + a * (x - size.actualBoundingBoxLeft), f + d * (y - size.actualBoundingBoxAscent),
          e + a * (x + size.actualBoundingBoxRight), f + d * (y + size.actualBoundingBoxDescent)].map((pixels) => pixels / scale) });
        draw.call(this, text, x, y, ...more);
      };
    }) });
    await readAll(page);
    /** Once the pointer has been answered. */
    const drawn = (chart) => chart.evaluate((box) => new Promise((done) => {
      requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done([...box.querySelectorAll('canvas')].flatMap((canvas) => canvas.texts ?? [])))));
    }));
    const found = [];
    for (const chart of await page.$$('section.operation .chart:not([hidden])')) {
      await chart.evaluate((box) => box.scrollIntoView({ behavior: 'instant', block: 'center' }));
      const { x, y, width, height } = await chart.boundingBox();
      const own = new Set((await drawn(chart)).map(({ text }) => text));
      const hits = [];
      const places = [0.2, 0.35, 0.5, 0.65, 0.8, 0.95];
      for (const [across, down] of places.flatMap((one) => places.map((other) => [one, other]))) {
        await page.mouse.move(x + width * across, y + height * down);
        const lines = (await drawn(chart)).filter(({ text }) => !own.has(text));
        if (lines.length > 0) hits.push({ at: [width * across, height * down], lines });
      }
      found.push({ title: await chart.evaluate((box) => box.dataset.title), size: [width, height], hits });
    }
    return found;
  },

  /** Dashed vertical lines of all charts, in pixels from the left. */
  async uprights() {
    const page = await open({ watch: true });
    await readAll(page);
    return Object.fromEntries(await page.$$eval('.chart:not([hidden])', (boxes) => boxes.map((box) => [box.dataset.title,
      { width: box.clientWidth, at: [...box.querySelectorAll('canvas')].flatMap((canvas) => [...canvas.uprights ?? []]) }])));
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
    found.invalid = await at.getByLabel('ranks').evaluate((one) => ({ said: one.getAttribute('aria-invalid'),
      why: document.getElementById(one.getAttribute('aria-describedby')).innerText, border: getComputedStyle(one).borderColor }));
    found.valid = await at.getByLabel('Axis').evaluate((one) => getComputedStyle(one).borderColor);
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
    const box = figure(page, 'bcast', 'Time against message size');
    return { ...await downloaded(page, box), rows: await box.locator('tbody tr').count(), copied: await copied(page, box) };
  },

  async compare() {
    const page = await open();
    await readAll(page);
    const title = await page.locator('section#bcast h3', { hasText: 'Time relative to' }).innerText();
    const top = page.locator('section#top');
    const found = { top: await top.innerText(), caption: await caption(page, 'bcast', title), ...await downloaded(page, figure(page, 'bcast', title)) };
    await top.locator('.extremes a').first().click();
    found.run = await page.locator('section#bcast').getByLabel('Run', { exact: true }).evaluate((select) => select.options[select.selectedIndex].text);
    return found;
  },

  async keyboard() {
    const page = await open();
    const names = [];
    // Once round: until the focus leaves the page or comes back.
    for (;;) {
      await page.keyboard.press('Tab');
      const name = await page.evaluate(() => {
        const at = document.activeElement;
        if (at === document.body || at.dataset.reached) return '';
        at.dataset.reached = 'yes';
        return `${at.tagName} ${at.className} ${at.textContent.slice(0, 20)}`;
      });
      if (!name) break;
      names.push(name);
    }
    const wanted = await page.$$eval('.chart, a, button, input, select, summary', (all) => all.filter((one) => one.checkVisibility()).map((one) =>
      ({ name: `${one.closest('section')?.id} ${one.tagName} ${one.className} ${one.textContent.slice(0, 20)}`, reached: one.dataset.reached === 'yes' })));
    const keys = await page.$$eval('.chart', (all) => all.map((one) => {
      const event = new KeyboardEvent('keydown', { key: 'ArrowRight', cancelable: true, bubbles: true });
      one.dispatchEvent(event);
      return { section: one.closest('section').id, taken: event.defaultPrevented, said: one.getAttribute('aria-label').includes('Arrow keys') };
    }));
    const undescribed = await page.$$eval('[aria-describedby]', (all) => all.filter((one) => !document.getElementById(one.getAttribute('aria-describedby'))).length);
    const unnamed = await page.$$eval('select, input, button, [tabindex="0"][role]', (all) => all.filter((one) =>
      !(one.labels?.length || one.getAttribute('aria-label') || one.textContent.trim())).length);
    return { names, unnamed, undescribed, keys, wanted: wanted.length, unreached: wanted.filter((one) => !one.reached).map((one) => one.name) };
  },

  async print() {
    const page = await open({ colorScheme: 'dark' });
    const pdf = await page.pdf({ preferCSSPageSize: true });
    const found = { bytes: pdf.length, drawn: await page.$$eval('.chart:not([hidden])', (all) => all.filter((one) => one.dataset.drawn === 'yes').length),
      charts: await page.locator('.chart:not([hidden])').count() };
    await page.emulateMedia({ media: 'print' });
    found.ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    return found;
  },

  async links() {
    const page = await open();
    const dead = await page.$$eval('a[href^="#"]', (all) => all.filter((one) => !document.getElementById(one.getAttribute('href').slice(1).split('&')[0])).map((one) => one.href));
    const finding = page.locator('ol.findings a').first();
    const target = (await finding.getAttribute('href')).slice(1).split('&')[0];
    await finding.click();
    await page.waitForFunction((id) => Math.abs(document.getElementById(id).getBoundingClientRect().top) < innerHeight, target, { timeout: 5000 });
    return { dead, target };
  },

  async analyses() {
    const page = await open();
    await readAll(page);
    const size = page.locator('section#bcast').getByLabel('Size', { exact: true });
    const panels = async () => Object.fromEntries(await page.locator('section#bcast .panel:visible').evaluateAll((all) =>
      all.map((one) => [one.querySelector('h3').textContent, one.innerText])));
    const found = { findings: await page.locator('ol.findings > li').allInnerTexts(), before: await panels(),
      histogramBefore: await caption(page, 'bcast', 'Histogram') };
    await page.locator('ol.findings a').first().click();
    await page.waitForFunction(() => location.hash.startsWith('#bcast-spread'));
    found.size = await size.evaluate((select) => select.options[select.selectedIndex].text);
    found.picked = await panels();
    found.processes = await caption(page, 'bcast', 'Process by process');
    found.histogram = await caption(page, 'bcast', 'Histogram');
    // Its line is the only thing as dark as the text that lies on the bars.
    found.dark = await figure(page, 'bcast', 'Histogram').locator('canvas').evaluate((canvas) => {
      const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let dark = 0;
      for (let y = Math.floor(height * 0.1); y < height * 0.7; y++) {
        for (let x = Math.floor(width * 0.25); x < width; x++) {
          const at = 4 * (y * width + x);
          if (data[at + 3] > 200 && Math.max(data[at], data[at + 1], data[at + 2]) < 60) dark += 1;
        }
      }
      return dark;
    });
    await page.getByRole('button', { name: 'Pick it' }).first().click();
    found.noted = await size.evaluate((select) => select.options[select.selectedIndex].text);
    return found;
  },

  async injection() {
    const page = await open({ watch: true });
    await readAll(page);
    // Over all charts, so that tooltips appear.
    for (const chart of await page.locator('.chart').all()) {
      await chart.scrollIntoViewIfNeeded();
      const box = await chart.boundingBox();
      for (const x of [0.3, 0.5, 0.7, 0.9]) {
        await page.mouse.move(box.x + box.width * x, box.y + box.height * 0.6);
        await page.waitForTimeout(30);
      }
    }
    // The bars of a process are thin: down along the last of eight.
    const processes = figure(page, 'bcast', 'Process by process').locator('.chart');
    await processes.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await processes.boundingBox();
    for (let down = 0; down < height; down += 4) {
      await page.mouse.move(x + 66 + (width - 84) * 15 / 16, y + down);
      await page.waitForTimeout(20);
    }
    await unfoldAll(page);
    await page.waitForTimeout(300);
    return {
      drawn: await page.evaluate(() => [...window.drawn]),
      copied: await copied(page, figure(page, 'bcast', 'Time against message size')),
      environment: await copied(page, page.locator('section#environment details').nth(1)),
      text: await page.evaluate(() => document.body.innerText),
      title: await page.title(),
      foreign: await page.evaluate(() => document.querySelectorAll('img, iframe, object, embed, svg, video, audio, form, link, base, [onerror], [onload], [onclick], [style*="url"]').length),
      scripts: await page.locator('script').count(),
      bolds: await page.$$eval('b', (all) => all.map((one) => one.textContent)),
      attacked: await page.evaluate(() => 'attacked' in window),
    };
  },

  /** Of a page of tunings: all words, its tables with what is marked, what a job script needs, and how many columns there are. */
  async tuning() {
    const page = await open();
    await unfoldAll(page);
    const found = { sections: await words(page) };
    found.tables = Object.fromEntries(await page.$$eval('.times', (all) => all.map((box) => [`${box.closest('section').id}: ${box.querySelector('h3').textContent}`, {
      titles: [...box.querySelectorAll('th')].map((one) => one.textContent),
      rows: [...box.querySelectorAll('tbody tr')].map((row) => ({ cells: [...row.cells].map((one) => one.textContent),
        best: [...row.cells].flatMap((one, i) => one.classList.contains('best') ? [i] : []) })) }])));
    found.legends = await page.$$eval('ul.legend', (all) => all.map((one) => [...one.querySelectorAll('li')].map((item) => item.innerText.trim())));
    found.summaries = await page.locator('.tuned').allInnerTexts();
    found.scripts = await page.locator('pre.script').allInnerTexts();
    found.copied = found.scripts.length > 0 ? await copied(page, page.locator('.tuned').filter({ has: page.locator('pre.script') }).first()) : '';
    found.columns = {};
    for (const width of [360, 1200]) {
      await page.setViewportSize({ width, height: 800 });
      found.columns[width] = await page.$$eval('.tuned', (all) => new Set(all.map((one) => Math.round(one.getBoundingClientRect().left))).size);
    }
    return found;
  },

  /** What a chart has at places: [section, title, share of its width, of its height, pixels above for the colour], within the axes of a map. */
  async places() {
    const page = await open({ watch: true });
    await readAll(page);
    const found = [];
    for (const [section, title, x, y, above] of choices) {
      const chart = figure(page, section, title).locator('.chart');
      await chart.evaluate((box) => box.scrollIntoView({ behavior: 'instant', block: 'center' }));
      const box = await chart.boundingBox();
      const at = [62 + x * (box.width - 62 - 18), 12 + y * (box.height - 12 - 46)];
      await page.mouse.move(1, 1);
      await page.waitForTimeout(300); // until the last tooltip is gone
      const colour = await chart.locator('canvas').first().evaluate((canvas, [left, top]) => {
        const scale = canvas.width / canvas.clientWidth;
        const pixel = new OffscreenCanvas(1, 1).getContext('2d');
        pixel.drawImage(canvas, -Math.round(left * scale), -Math.round(top * scale));
        const { data } = pixel.getImageData(0, 0, 1, 1);
        return `#${[data[0], data[1], data[2]].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
      }, [at[0], at[1] - above]);
      await page.evaluate(() => window.drawn.clear());
      await page.mouse.move(box.x + at[0], box.y + at[1], { steps: 3 });
      await page.waitForTimeout(250);
      found.push({ colour, drawn: (await page.evaluate(() => [...window.drawn])).map((text) => text.replaceAll('\u200b', '')) });
    }
    return found;
  },

  /** A page of tunings whose names are attacks, with the pointer over all its charts. */
  async attacked() {
    const page = await open({ watch: true });
    await readAll(page);
    for (const chart of await page.locator('.chart:visible').all()) {
      await chart.evaluate((box) => box.scrollIntoView({ behavior: 'instant', block: 'center' }));
      const box = await chart.boundingBox();
      for (const x of [0.3, 0.5, 0.7, 0.9]) {
        await page.mouse.move(box.x + box.width * x, box.y + box.height * 0.4);
        await page.waitForTimeout(50);
      }
    }
    await unfoldAll(page);
    await page.waitForTimeout(300);
    return {
      drawn: await page.evaluate(() => [...window.drawn]),
      text: await page.evaluate(() => document.body.innerText),
      title: await page.title(),
      foreign: await page.evaluate(() => document.querySelectorAll('img, iframe, object, embed, svg, video, audio, form, link, base, [onerror], [onload], [onclick], [style*="url"]').length),
      scripts: await page.locator('script').count(),
      bolds: await page.$$eval('b', (all) => all.map((one) => one.textContent)),
      attacked: await page.evaluate(() => 'attacked' in window),
      overflow: await overflow(page),
    };
  },

  /** The part of a chart that is shown, in percent, after the wheel, a drag, keys, picking, a double click and two fingers. */
  async zoom() {
    const page = await open();
    await readAll(page);
    const chart = figure(page, 'bcast', 'Time against message size').locator('.chart');
    await chart.evaluate((box) => box.scrollIntoView({ behavior: 'instant', block: 'center' }));
    const part = async () => (await chart.getAttribute('data-part') ?? '0 100').split(' ').map(Number);
    const box = await chart.boundingBox();
    const found = {};
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const top = () => page.evaluate(() => scrollY);
    const before = await top();
    await page.mouse.wheel(0, 120);
    await page.waitForFunction((was) => scrollY !== was, before);
    found.turned = await part();
    await chart.evaluate((one) => one.scrollIntoView({ behavior: 'instant', block: 'center' }));
    await chart.focus();
    const at = await top();
    await page.mouse.wheel(0, -240);
    await page.waitForFunction((one) => one.dataset.part, await chart.elementHandle());
    found.wheel = await part();
    found.moved = await top() - at;
    await page.keyboard.press('ArrowRight');
    found.picked = await part();
    await page.keyboard.press('0');
    found.all = await part();
    await page.keyboard.press('+');
    found.key = await part();
    await page.mouse.dblclick(box.x + box.width * 0.6, box.y + 40);
    found.double = await part();
    const size = page.locator('section#bcast').getByLabel('Size', { exact: true });
    const picked = () => size.evaluate((select) => select.selectedIndex);
    const pickedBefore = await picked();
    await page.mouse.move(box.x + 66, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + (66 + box.width) / 2, box.y + 100, { steps: 4 });
    await page.mouse.up();
    found.drag = await part();
    found.dragPicked = await picked() !== pickedBefore;
    await page.context().close();
    const phone = await open({ width: 390, touch: true });
    const small = figure(phone, 'bcast', 'Time against message size').locator('.chart');
    await small.evaluate((one) => one.scrollIntoView({ behavior: 'instant', block: 'center' }));
    await phone.waitForFunction((one) => one.dataset.drawn === 'yes', await small.elementHandle());
    const where = await small.boundingBox();
    const [x, y] = [where.x + where.width / 2, where.y + where.height / 2];
    const session = await phone.context().newCDPSession(phone);
    const touch = (type, apart) => session.send('Input.dispatchTouchEvent', { type,
      touchPoints: apart === null ? [] : [{ x: x - apart, y, id: 0 }, { x: x + apart, y, id: 1 }] });
    await touch('touchStart', 20);
    for (const apart of [30, 40, 55, 70, 85]) await touch('touchMove', apart);
    await touch('touchEnd', null);
    found.fingers = (await small.getAttribute('data-part') ?? '0 100').split(' ').map(Number);
    return found;
  },

  /** Colours of a chart before and after the first run is hidden in its legend, and after another size is picked. */
  async legend() {
    const page = await open();
    await readAll(page);
    const title = choices[0];
    const chart = figure(page, 'bcast', title).locator('.chart');
    await chart.evaluate((box) => box.scrollIntoView({ behavior: 'instant', block: 'center' }));
    // Read from a copy: a canvas that is read again and again draws a warning.
    const colours = () => chart.locator('canvas').first().evaluate((canvas) => {
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
      copy.drawImage(canvas, 0, 0);
      const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
      const many = new Map();
      for (let i = 0; i < data.length; i += 4) {
        const colour = `#${[data[i], data[i + 1], data[i + 2]].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
        if (data[i + 3] > 200) many.set(colour, (many.get(colour) ?? 0) + 1);
      }
      return [...many].filter(([, count]) => count > 100).map(([colour]) => colour);
    });
    const found = { before: await colours() };
    await chart.click({ position: { x: 75, y: 8 } });
    found.hidden = await colours();
    await chart.focus();
    await page.keyboard.press('ArrowRight');
    found.picked = await colours();
    await chart.click({ position: { x: 75, y: 8 } });
    found.again = await colours();
    return found;
  },

  /** What is picked and where the page is: at an address, after picking, after a reload. */
  async address() {
    const found = {};
    const state = async (page) => ({ hash: await page.evaluate(() => location.hash), picked: (await words(page)).bcast.picked,
      top: await page.evaluate(() => Math.round(document.getElementById(location.hash.slice(1).split('&')[0])?.getBoundingClientRect().top ?? -1)) });
    for (const [name, fragment] of Object.entries(choices)) {
      const page = await open({ fragment });
      found[name] = await state(page);
      await page.context().close();
    }
    const page = await open();
    await page.locator('section#bcast').getByLabel('Size', { exact: true }).selectOption({ index: 0 });
    found.chosen = await state(page);
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    found.reloaded = await state(page);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await figure(page, 'bcast', 'Histogram').getByRole('button', { name: 'Copy link' }).click();
    await figure(page, 'bcast', 'Histogram').getByText('Copied.').waitFor();
    await page.goto(await page.evaluate(() => navigator.clipboard.readText()));
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    found.copied = await state(page);
    return found;
  },

  /** Finds an operation by what is entered: [text, ...]. */
  async search() {
    const page = await open();
    const input = page.getByLabel('Find an operation');
    const found = { charts: await page.locator('section.operation .chart').count(), at: [] };
    for (const text of choices) {
      await input.fill(text);
      await input.press('Enter');
      await page.waitForTimeout(200);
      const hash = await page.evaluate(() => location.hash.slice(1));
      found.at.push({ hash, invalid: await input.getAttribute('aria-invalid'),
        inView: await page.evaluate((id) => { const box = document.getElementById(id)?.getBoundingClientRect(); return box ? Math.abs(box.top) < innerHeight : false; }, hash),
        charts: await page.locator(`section[id="${hash}"] .chart`).count() });
    }
    return found;
  },

  /** What is saved of each chart: beginnings of files, and CSV. */
  async saved() {
    const page = await open();
    await readAll(page);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const found = [];
    for (const box of await page.locator('figure:has(.chart:not([hidden]))').all()) {
      const save = async (name) => {
        const [download] = await Promise.all([page.waitForEvent('download'), box.getByRole('button', { name, exact: true }).click()]);
        return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
      };
      const [png, svg] = [await save('PNG'), await save('SVG')];
      await box.getByRole('button', { name: 'Copy CSV' }).click();
      await box.getByText('Copied.').waitFor();
      found.push({ title: await box.locator('h3').innerText(), png: png.name, svg: svg.name, pngHead: png.bytes.subarray(0, 8).toString('hex'), pngBytes: png.bytes.length,
        svgText: svg.bytes.toString('utf8').slice(0, 200), svgTexts: (svg.bytes.toString('utf8').match(/<text/g) ?? []).length,
        csv: await page.evaluate(() => navigator.clipboard.readText()) });
      await box.getByText('Copied.').waitFor({ state: 'detached' }).catch(() => {});
    }
    return found;
  },

  /**
   * When the first chart was there, and how long picking takes until its charts are drawn again, in milliseconds; and the processor time
   * of the page until the first chart, which others on this machine do not change.
   */
  async speed() {
    let session;
    const page = await open({ before: async (empty) => {
      session = await empty.context().newCDPSession(empty);
      await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    } });
    const ready = Number(await page.evaluate(() => document.documentElement.dataset.ready));
    await page.waitForSelector('.chart[data-drawn="yes"]', { timeout: 20000 });
    const first = await page.evaluate(() => performance.now());
    const busy = (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
    const section = page.locator('section.operation').first();
    await section.evaluate((one) => one.scrollIntoView({ behavior: 'instant' }));
    await page.waitForFunction(() => document.querySelector('section.operation .chart')?.dataset.drawn === 'yes', null, { timeout: 20000 });
    await page.waitForTimeout(500);
    const picks = await section.evaluate((one) => {
      const chart = one.querySelector('.chart');
      return ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowRight', 'ArrowLeft'].map((key) => {
        const begin = performance.now();
        chart.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        return performance.now() - begin;
      });
    });
    return { ready_ms: ready, first_chart_ms: first, busy_ms: busy, answer_ms: Math.max(...picks), charts: await page.locator('.chart').count() };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  ({ page: file, choices } = request);
  seen = { requests: [], console: [], errors: [], dialogs: 0 };
  try {
    const found = await scenarios[request.scenario]();
    console.log(JSON.stringify({ ...seen, found }));
  } catch (error) {
    console.log(JSON.stringify({ failed: error.stack }));
  }
  await Promise.all(browser.contexts().map((context) => context.close()));
}
await browser.close();
