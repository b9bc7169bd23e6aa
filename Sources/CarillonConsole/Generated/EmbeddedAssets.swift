// Long: Tools/support/embed.py writes this file. Do not edit it.
// swift-format-ignore-file

/// The files of `Assets`.
enum EmbeddedAssets {
    /// The first 16 digits of the SHA-256 of all files.
    static let hash = "b8312798bd6f5e6a"
    static let all: [EmbeddedAsset] = [
        EmbeddedAsset(
            name: "api.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // Requests to the server, and polls that stop while the page is hidden.

                export class Refused extends Error {
                  constructor(status, error) {
                    super(error.message || error.code);
                    Object.assign(this, { status, code: error.code, effect: error.effect, field: error.field, item: error.item, column: error.column, limit: error.limit });
                  }
                  /** The refusal as a sentence, with what became of the request. */
                  get sentence() {
                    const effect = this.effect === 'unknown' ? ' It is not known whether it took effect.' : '';
                    const where = this.field ? ` (${this.field}${this.item === undefined ? '' : `, item ${this.item}`})` : '';
                    return `${this.message}${where}.${effect}`;
                  }
                }

                const watchers = { loggedOut() {}, connection() {} };
                export function watch(handlers) { Object.assign(watchers, handlers); }

                /** Makes a request below /api/. With `poll` it does not keep the session alive. */
                export async function api(path, body = {}, { poll = false, signal } = {}) {
                  const headers = { 'content-type': 'application/json' };
                  if (poll) headers['x-carillon-poll'] = '1';
                  let answer;
                  try {
                    answer = await fetch(`/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body), signal, credentials: 'same-origin' });
                  } catch (error) {
                    if (error.name !== 'AbortError') watchers.connection(false);
                    throw error;
                  }
                  watchers.connection(true);
                  const json = await answer.json().catch(() => ({ error: { code: 'INTERNAL', message: `the server has answered ${answer.status}` } }));
                  if (answer.ok) return json;
                  if (answer.status === 401 && path !== 'login') watchers.loggedOut();
                  throw new Refused(answer.status, json.error ?? {});
                }

                /** A request of the protocol. */
                export const call = (name, body, options) => api(`v1/${name}`, body, options);

                export const sentence = (error) => (error instanceof Refused ? error.sentence : 'The server cannot be reached.');

                let interval = Number(localStorage.getItem('carillon-pace') ?? 2000);
                let wake = null;
                export const pace = { get: () => interval, set(value) { interval = value; localStorage.setItem('carillon-pace', value); wake?.(); } };

                /** Calls `step` now and then again, until the signal aborts. It waits while the page is hidden, and longer after an error. */
                export async function poll(signal, step) {
                  let failures = 0;
                  while (!signal.aborted) {
                    try {
                      await step();
                      failures = 0;
                    } catch (error) {
                      if (signal.aborted) return;
                      failures += 1;
                    }
                    await new Promise((resolve) => {
                      const wait = failures ? Math.min(10000, 1000 * 2 ** failures) : interval;
                      const timer = wait ? setTimeout(done, Math.max(1000, wait)) : null;
                      function done() {
                        if (document.hidden && !signal.aborted) return document.addEventListener('visibilitychange', done, { once: true });
                        clearTimeout(timer);
                        wake = null;
                        signal.removeEventListener('abort', done);
                        resolve();
                      }
                      wake = done;
                      signal.addEventListener('abort', done);
                    });
                  }
                }

                /** Reads events as they come; `onevent` gets each. Returns when the stream ends. */
                export async function events(body, signal, onopen, onevent) {
                  const answer = await fetch('/api/events', {
                    method: 'POST', headers: { 'content-type': 'application/json', 'x-carillon-poll': '1' }, body: JSON.stringify(body), signal,
                  });
                  if (!answer.ok) {
                    if (answer.status === 401) watchers.loggedOut();
                    throw new Refused(answer.status, (await answer.json()).error ?? {});
                  }
                  onopen();
                  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
                  let rest = '';
                  for (;;) {
                    const { value, done } = await reader.read();
                    if (done) return;
                    const lines = (rest + value).split('\n');
                    rest = lines.pop();
                    for (const line of lines) if (line) onevent(JSON.parse(line));
                  }
                }

                """#),
        EmbeddedAsset(
            name: "app.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The frame of the console: log-in, pages by the fragment of the address, keys, theme.
                import { el, field, button, setText, rows, confirm } from './dom.js';
                import { api, call, watch, pace, sentence } from './api.js';
                import overview from './overview.js';
                import messages from './messages.js';
                import message from './message.js';
                import lookup from './lookup.js';
                import audience from './audience.js';
                import compose from './compose.js';
                import events from './events.js';
                import credentials from './credentials.js';
                import settings from './settings.js';

                const PAGES = { overview, messages, message, lookup, audience, compose, events, credentials, settings };
                const NAV = [['overview', 'Overview', 'o'], ['messages', 'Messages', 'm'], ['lookup', 'Look up', 'l'], ['audience', 'Audience', 'a'],
                  ['compose', 'Compose', 'c'], ['events', 'Events', 'e'], ['credentials', 'Credentials', 'k'], ['settings', 'Settings', 's']];

                const byId = (id) => document.getElementById(id);
                const main = byId('main');
                let session = null;
                let leaving = null;
                let spoken = 0;

                /** What pages know of the user and of the choices in the header. */
                export const context = {
                  get app() { return byId('app').value.trim(); },
                  set app(value) { byId('app').value = value; localStorage.setItem('carillon-app', value); },
                  apps: [],
                  /** True if the user has one of the roles for the app; `*` asks for every app. */
                  may(app, ...roles) {
                    return (session?.grants ?? []).some((grant) => (grant.app === '*' || grant.app === app) && grant.roles.some((role) => roles.includes(role)));
                  },
                  /** Says a sentence to screen readers, at most every 15 seconds. */
                  say(text, now = false) {
                    if (!now && Date.now() - spoken < 15000) return;
                    spoken = Date.now();
                    setText(byId('live'), text);
                  },
                };

                // Log-in

                function showLogin(note = '') {
                  leaving?.abort();
                  session = null;
                  document.body.classList.add('out');
                  byId('header').hidden = byId('footer').hidden = true;
                  document.title = 'Log in – Carillon';
                  const key = el('input', { type: 'password', autocomplete: 'current-password', id: 'key', required: true, maxlength: '256', spellcheck: 'false' });
                  const error = el('p', { class: 'error', role: 'alert' }, note);
                  const go = el('button', { class: 'primary', type: 'submit' }, 'Log in');
                  main.replaceChildren(el('section', { class: 'card' }, el('h1', {}, 'Carillon'), el('form', {
                    async onsubmit(event) {
                      event.preventDefault();
                      go.disabled = true;
                      setText(error, '');
                      try {
                        const identity = await api('login', { key: key.value });
                        key.value = '';
                        begin(identity);
                      } catch (problem) {
                        setText(error, problem.status === 429 ? 'Too many wrong keys from this address. Wait some seconds.'
                          : problem.status === 401 ? 'The server does not know this key.' : sentence(problem));
                        go.disabled = false;
                        key.select();
                      }
                    },
                  }, el('div', { class: 'fields' }, field('API key', key, 'The key of a principal with the role observe, or more. It is not stored in the browser.'),
                    error, el('div', { class: 'buttons wide' }, go)))));
                  key.focus();
                }

                async function begin(identity) {
                  session = identity;
                  document.body.classList.remove('out');
                  byId('header').hidden = byId('footer').hidden = false;
                  setText(byId('principal'), identity.principal);
                  const named = identity.grants.map((grant) => grant.app).filter((app) => app !== '*');
                  context.apps = [...new Set(named)];
                  if (context.may('*', 'observe', 'admin') || identity.grants.some((grant) => grant.app === '*')) {
                    try {
                      const found = await api('settings');
                      context.apps = [...new Set([...named, ...found.apps.map((each) => each.app)])];
                    } catch { /* Without the right to it, the user types the app. */ }
                  }
                  byId('apps').replaceChildren(...context.apps.map((app) => el('option', { value: app })));
                  const stored = localStorage.getItem('carillon-app');
                  if (!context.app) byId('app').value = context.apps.includes(stored) ? stored : context.apps[0] ?? '';
                  route();
                }

                watch({
                  loggedOut() { if (session) showLogin('The session has ended. Log in again.'); },
                  connection(isThere) {
                    const node = byId('connection');
                    if (isThere === (node.className !== 'lost')) return;
                    node.className = isThere ? '' : 'lost';
                    setText(node, isThere ? 'connected' : `no connection since ${new Date().toLocaleTimeString('en-GB')}`);
                    context.say(node.textContent, true);
                  },
                });

                // Pages

                function route() {
                  if (!session) return;
                  const [path, query] = (location.hash.replace(/^#\/?/, '') || 'overview').split('?');
                  const [name, ...parts] = path.split('/').map(decodeURIComponent);
                  const page = PAGES[name] ?? overview;
                  leaving?.abort();
                  leaving = new AbortController();
                  const parameters = new URLSearchParams(query);
                  if (parameters.get('app')) context.app = parameters.get('app');
                  rows(byId('nav'), NAV, (each) => each[0], ([id, text, key]) => el('a', { href: `#/${id}`, 'data-page': id }, text, el('kbd', { 'aria-hidden': 'true' }, `g ${key}`)), (node, [id]) => {
                    if (id === name || (id === 'messages' && name === 'message')) node.setAttribute('aria-current', 'page');
                    else node.removeAttribute('aria-current');
                  });
                  main.replaceChildren();
                  document.title = `${page.title} – Carillon`;
                  page.show(main, { parts, parameters, signal: leaving.signal, context });
                  context.say(page.title, true);
                }

                window.addEventListener('hashchange', () => { route(); main.focus({ preventScroll: true }); scrollTo(0, 0); });
                byId('skip').addEventListener('click', (event) => { event.preventDefault(); main.focus(); });
                byId('app').addEventListener('change', () => { context.app = context.app; if (location.hash.startsWith('#/message/')) location.hash = '#/messages'; else route(); });
                byId('logout').addEventListener('click', async () => { await api('logout').catch(() => {}); showLogin(); });

                byId('pace').value = String(pace.get());
                byId('pace').addEventListener('change', (event) => pace.set(Number(event.target.value)));
                byId('theme').value = localStorage.getItem('carillon-theme') ?? 'system';
                byId('theme').addEventListener('change', (event) => {
                  localStorage.setItem('carillon-theme', event.target.value);
                  if (event.target.value === 'system') delete document.documentElement.dataset.theme;
                  else document.documentElement.dataset.theme = event.target.value;
                });
                setText(byId('zone'), `times in ${Intl.DateTimeFormat().resolvedOptions().timeZone}`);

                // Keys

                let isGoing = false;
                const areKeysOn = () => localStorage.getItem('carillon-keys') !== 'off';
                function showKeys() {
                  const dialog = el('dialog', { 'aria-labelledby': 'keys-title', onclose: () => dialog.remove() }, el('form', { method: 'dialog' },
                    el('h2', { id: 'keys-title' }, 'Keys'),
                    el('dl', { class: 'facts' }, NAV.flatMap(([, text, key]) => [el('dt', {}, el('kbd', {}, `g ${key}`)), el('dd', {}, text)]),
                      el('dt', {}, el('kbd', {}, '/')), el('dd', {}, 'the search field of the page'), el('dt', {}, el('kbd', {}, '?')), el('dd', {}, 'this list')),
                    el('label', { class: 'check' }, el('input', { type: 'checkbox', checked: areKeysOn(), onchange: (event) => localStorage.setItem('carillon-keys', event.target.checked ? 'on' : 'off') }), 'Single keys are on'),
                    el('div', { class: 'buttons' }, el('button', {}, 'Close'))));
                  document.body.append(dialog);
                  dialog.showModal();
                }
                byId('help').addEventListener('click', showKeys);
                document.addEventListener('keydown', (event) => {
                  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
                  if (!session || isTyping || event.ctrlKey || event.metaKey || event.altKey || !areKeysOn() || document.querySelector('dialog[open]')) return;
                  if (isGoing) {
                    isGoing = false;
                    const found = NAV.find((each) => each[2] === event.key);
                    if (found) { event.preventDefault(); location.hash = `#/${found[0]}`; }
                    return;
                  }
                  if (event.key === 'g') { isGoing = true; setTimeout(() => { isGoing = false; }, 1500); }
                  if (event.key === '?') showKeys();
                  if (event.key === '/') {
                    const search = main.querySelector('[data-search]');
                    if (search) { event.preventDefault(); search.focus(); }
                  }
                });

                try {
                  begin(await api('session'));
                } catch {
                  showLogin();
                }

                """#),
        EmbeddedAsset(
            name: "audience.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // A condition with its live count, before it is used.
                import { el, card, setText, button } from './dom.js';
                import { conditionField } from './condition.js';

                function show(main, { parameters, signal, context }) {
                  const use = el('a', { href: '#/compose', hidden: true }, 'Compose a message for it');
                  const editor = conditionField(context, signal, {
                    value: parameters.get('condition') ?? '', onCount(devices) {
                      const text = editor?.input.value.trim() ?? '';
                      use.hidden = devices === null || !context.may(context.app, 'send');
                      use.href = `#/compose?condition=${encodeURIComponent(text)}`;
                      history.replaceState(null, '', text ? `#/audience?condition=${encodeURIComponent(text)}` : '#/audience');
                    },
                  });
                  main.append(el('div', { class: 'head' }, el('h1', {}, 'Audience'), el('span', { class: 'soft' }, context.app || 'choose an app')),
                    el('section', { class: 'card' }, editor.node), el('div', { class: 'grid' },
                      card('Would be addressed now', editor.count, el('p', { class: 'soft' }, 'Each device once. Muted devices count, quarantined ones do not.'), el('p', {}, editor.canonical), use),
                      card('Devices of each term', editor.sets.node)));
                  editor.input.focus();
                }

                export default { title: 'Audience', show };

                """#),
        EmbeddedAsset(
            name: "chart.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // A chart of lines or stacked areas over time, with a cursor, gaps, and the same figures as a table.
                import { el, svg, setText, compact, number } from './dom.js';

                const WIDTH = 720;
                const HEIGHT = 190;
                const LEFT = 52;
                const BOTTOM = 22;
                const TOP = 8;

                const hours = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
                const seconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

                /** The next round number: 1, 2 or 5 times a power of ten. */
                function roundUp(value) {
                  if (value <= 0) return 1;
                  const power = 10 ** Math.floor(Math.log10(value));
                  return [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= value);
                }

                /**
                 * Makes a chart. `series` is a list of {name, label, format?}; the class of a series is `line-NAME`.
                 * `update(at, columns)` draws it: times in ms, and a list of values for each name.
                 */
                export function chart(title, series, { stacked = false, unit = '', format = compact, gap = 15000 } = {}) {
                  const grid = svg('g', { class: 'grid' });
                  const marks = svg('g', { class: 'marks' });
                  const paths = series.map((each) => svg('path', { class: `line-${each.name} ${stacked ? 'area' : 'line'}`, d: '' }));
                  const cursor = svg('line', { class: 'cursor', y1: TOP, y2: HEIGHT - BOTTOM, x1: -10, x2: -10 });
                  const picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': title, tabindex: '0' },
                    grid, ...paths, cursor, marks);
                  const values = series.map((each) => el('b', {}, '–'));
                  const legend = el('ul', { class: 'legend' }, series.map((each, index) =>
                    el('li', { class: `key-${each.name}` }, el('i', { 'aria-hidden': 'true' }), `${each.label} `, values[index])));
                  const when = el('span', { class: 'when' }, '');
                  const body = el('tbody');
                  const figures = el('details', {}, el('summary', {}, 'Figures'), el('div', { class: 'scroll' }, el('table', {}, el('caption', {}, title),
                    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Time'), series.map((each) => el('th', { scope: 'col', class: 'number' }, each.label)))), body)));
                  const node = el('figure', { class: 'chart' }, el('figcaption', {}, el('span', {}, title), when), picture, legend, figures);
                  let state = { at: [], columns: {} };
                  let chosen = -1;

                  function show(index) {
                    const { at, columns } = state;
                    const last = index < 0 ? at.length - 1 : index;
                    setText(when, index < 0 || !at.length ? '' : seconds.format(new Date(at[last])));
                    series.forEach((each, position) => setText(values[position], at.length ? `${(each.format ?? format)(columns[each.name][last])}${unit}` : '–'));
                    const x = index < 0 ? -10 : state.x(at[index]);
                    cursor.setAttribute('x1', x);
                    cursor.setAttribute('x2', x);
                  }

                  function choose(index) {
                    chosen = Math.max(-1, Math.min(index, state.at.length - 1));
                    show(chosen);
                  }

                  picture.addEventListener('pointermove', (event) => {
                    const box = picture.getBoundingClientRect();
                    const moment = state.from + ((event.clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT) * (state.to - state.from);
                    let best = -1;
                    state.at.forEach((each, index) => { if (best < 0 || Math.abs(each - moment) < Math.abs(state.at[best] - moment)) best = index; });
                    choose(best);
                  });
                  picture.addEventListener('pointerleave', () => choose(-1));
                  picture.addEventListener('blur', () => choose(-1));
                  picture.addEventListener('keydown', (event) => {
                    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
                    if (!step || !state.at.length) return;
                    event.preventDefault();
                    choose(Math.max(0, (chosen < 0 ? state.at.length : chosen) + step));
                  });
                  figures.addEventListener('toggle', () => fillTable());

                  function fillTable() {
                    if (!figures.open) return;
                    const { at, columns } = state;
                    const every = Math.max(1, Math.ceil(at.length / 60));
                    const lines = [];
                    for (let index = at.length - 1; index >= 0; index -= every) {
                      lines.push(el('tr', {}, el('th', { scope: 'row' }, seconds.format(new Date(at[index]))),
                        series.map((each) => el('td', { class: 'number' }, `${(each.format ?? format)(columns[each.name][index])}${unit}`))));
                    }
                    body.replaceChildren(...lines);
                  }

                  function drawGrid(top, x, y) {
                    const lines = [];
                    for (const part of [0, 0.5, 1]) {
                      lines.push(svg('line', { x1: LEFT, x2: WIDTH, y1: y(top * part), y2: y(top * part) }));
                    }
                    grid.replaceChildren(...lines);
                    const texts = [];
                    const text = (name, left, topPart, words) => {
                      const label = el('span', { class: name }, words);
                      label.style.left = `${left * 100}%`;
                      label.style.top = `${topPart * 100}%`;
                      return label;
                    };
                    for (const part of [0, 0.5, 1]) texts.push(text('y', LEFT / WIDTH, y(top * part) / HEIGHT, `${format(top * part)}${unit}`));
                    const span = state.to - state.from;
                    const writer = span < 600000 ? seconds : hours;
                    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
                      texts.push(text(`x${part === 1 ? ' end' : part === 0 ? ' start' : part === 0.5 ? '' : ' minor'}`, x(state.from + span * part) / WIDTH, (HEIGHT - BOTTOM + 4) / HEIGHT, writer.format(new Date(state.from + span * part))));
                    }
                    labels.replaceChildren(...texts);
                  }

                  const labels = el('div', { class: 'labels', 'aria-hidden': 'true' });
                  const frame = el('div', { class: 'frame' });
                  picture.replaceWith(frame);
                  frame.append(picture, labels);

                  function path(index, sums, x, y) {
                    const { at, columns } = state;
                    const name = series[index].name;
                    let d = '';
                    let run = [];
                    const flush = () => {
                      if (run.length && stacked) {
                        d += `M${run.map(([left, , high]) => `${left},${high}`).join('L')}L${run.slice().reverse().map(([left, low]) => `${left},${low}`).join('L')}Z`;
                      } else if (run.length) {
                        d += `M${run.map(([left, , high]) => `${left},${high}`).join('L')}`;
                      }
                      run = [];
                    };
                    at.forEach((moment, row) => {
                      // A time without samples is a gap, not a line.
                      if (row > 0 && moment - at[row - 1] > gap) flush();
                      const low = stacked ? sums[row] : 0;
                      const high = low + columns[name][row];
                      if (stacked) sums[row] = high;
                      run.push([x(moment).toFixed(1), y(low).toFixed(1), y(high).toFixed(1)]);
                    });
                    flush();
                    return d;
                  }

                  function update(at, columns, { from, to } = {}) {
                    state = { at, columns, from: from ?? at[0] ?? Date.now() - 1000, to: to ?? at[at.length - 1] ?? Date.now() };
                    if (state.to <= state.from) state.to = state.from + 1000;
                    const highest = at.map((_, row) => {
                      const each = series.map((one) => columns[one.name][row]);
                      return stacked ? each.reduce((sum, value) => sum + value, 0) : Math.max(...each);
                    });
                    const top = roundUp(Math.max(1, ...highest));
                    const x = (moment) => LEFT + (moment - state.from) / (state.to - state.from) * (WIDTH - LEFT);
                    const y = (value) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
                    state.x = x;
                    drawGrid(top, x, y);
                    const sums = at.map(() => 0);
                    paths.forEach((each, index) => each.setAttribute('d', path(index, sums, x, y)));
                    picture.setAttribute('aria-label', at.length
                      ? `${title}. Now ${series.map((each) => `${each.label} ${(each.format ?? number)(columns[each.name][at.length - 1])}${unit}`).join(', ')}. At most ${format(Math.max(...highest))}${unit}.`
                      : `${title}. No figures yet.`);
                    if (chosen >= at.length) chosen = -1;
                    show(chosen);
                    fillTable();
                  }
                  return { node, update };
                }

                """#),
        EmbeddedAsset(
            name: "compose.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // A new message: content, languages, audience, time, pace; dry run, a test to one device, then the send.
                import { el, card, field, select, button, setText, number, counted, confirm, timeText } from './dom.js';
                import { call, sentence } from './api.js';
                import { conditionField } from './condition.js';
                import { device } from './trace.js';

                /** Above so many devices the number must be typed. */
                const TYPED_FROM = 100;

                const check = (label, input) => el('label', { class: 'check' }, input, label);
                const text = (options = {}) => el('input', { autocomplete: 'off', ...options });

                /** The fields of one body. */
                function content(changed, isDefault) {
                  const inputs = {
                    language: text({ maxlength: '35', placeholder: 'zh-Hant' }), title: text(), subtitle: text(), body: el('textarea', { rows: '3' }),
                  };
                  for (const each of Object.values(inputs)) each.addEventListener('input', changed);
                  const node = el('div', { class: 'fields' }, isDefault ? null : field('Language', inputs.language), field('Title', inputs.title), field('Subtitle', inputs.subtitle), el('div', { class: 'wide' }, field('Body', inputs.body)));
                  return { node, inputs };
                }

                function show(main, { parameters, signal, context }) {
                  const error = el('p', { class: 'error', role: 'alert' });
                  const done = el('p', { class: 'fine', role: 'status', hidden: true });
                  const dry = el('p', { role: 'status', class: 'notice', hidden: true });
                  const pushType = select([['alert', 'alert: shown to the user'], ['background', 'background: silent']]);
                  const raw = el('input', { type: 'checkbox' });
                  const rawText = el('textarea', { class: 'mono', rows: '12', spellcheck: 'false', 'aria-label': 'Payload as JSON' });
                  const main_ = content(changed, true);
                  const languages = [];
                  const languageList = el('div', { class: 'phones' });
                  const options = {
                    badge: text({ type: 'number', min: '0' }), sound: text({ placeholder: 'default' }), thread: text(), category: text(),
                    level: select([['', 'not set'], 'passive', 'active', 'time-sensitive', 'critical']), collapse: text({ maxlength: '64' }),
                    data: el('textarea', { class: 'mono', rows: '3', spellcheck: 'false', placeholder: '{"type": "raid"}' }),
                  };
                  const audience = select([['topic', 'a topic'], ['groups', 'groups'], ['condition', 'a condition'], ['devices', 'devices'], ['all', 'every device of the app']], parameters.get('condition') ? 'condition' : 'topic');
                  const topic = text({ maxlength: '200', spellcheck: 'false' });
                  const groups = text({ placeholder: 'user/42 user/43', spellcheck: 'false' });
                  const devices = el('textarea', { class: 'mono', rows: '2', spellcheck: 'false', placeholder: 'ids or tokens, with spaces between them' });
                  const condition = conditionField(context, signal, { value: parameters.get('condition') ?? '' });
                  const label = text({ maxlength: '100', placeholder: 'shown in listings and in the log' });
                  const lane = select([['bulk', 'bulk: a broadcast'], ['interactive', 'interactive: a user waits']]);
                  const pace = text({ type: 'number', min: '1', placeholder: 'no bound' });
                  const at = text({ type: 'datetime-local' });
                  const expiry = select([['', 'APNs decides'], ['0', 'not stored'], ['3600', '1 hour'], ['86400', '1 day'], ['604800', '1 week']]);
                  const self = text({ value: localStorage.getItem('carillon-test-device') ?? '', spellcheck: 'false', placeholder: 'your device: id or token' });
                  const preview = el('div', { class: 'phones' });
                  const size = el('p', { class: 'soft' });
                  const audienceFields = { topic: field('Topic', topic), groups: field('Groups', groups), condition: el('div', { class: 'wide' }, condition.node, condition.count), devices: el('div', { class: 'wide' }, field('Devices', devices)), all: el('p', { class: 'soft' }, 'Every registered device gets it.') };
                  const fields = el('div', { class: 'fields' }, main_.node, el('div', { class: 'wide' }, languageList), el('div', { class: 'buttons wide' }, button('Add a language', addLanguage)),
                    el('details', { class: 'wide' }, el('summary', {}, 'More fields'), el('div', { class: 'fields' }, field('Badge', options.badge), field('Sound', options.sound), field('Thread', options.thread), field('Category', options.category), field('Interruption level', options.level), el('div', { class: 'wide' }, field('Data of the app, as JSON', options.data)))));
                  main_.node.classList.add('wide');
                  const sendButton = button('Send…', send, 'primary');
                  const dryButton = button('Dry run', () => dryRun());
                  const testButton = button('Send to this device', sendTest);
                  if (!context.may(context.app, 'send')) { sendButton.disabled = dryButton.disabled = testButton.disabled = true; setText(error, `Sending needs the role send for ${context.app || 'an app'}.`); }

                  main.append(el('div', { class: 'head' }, el('h1', {}, 'Compose'), el('span', { class: 'soft' }, context.app || 'choose an app')), el('div', { class: 'two' },
                    el('div', { class: 'phones' },
                      card('Content', el('div', { class: 'fields' }, field('Push type', pushType), el('div', {}, check('Write the payload as JSON', raw))), fields, rawText),
                      card('Audience', el('div', { class: 'fields' }, field('For', audience), ...Object.values(audienceFields))),
                      card('Delivery', el('div', { class: 'fields' }, field('Label', label), field('Lane', lane), field('Deliveries a second at most', pace),
                        field('Send at', at, `in ${Intl.DateTimeFormat().resolvedOptions().timeZone}; empty: now`), field('APNs stores it for', expiry), field('Collapse id', options.collapse)))),
                    el('div', { class: 'phones' }, card('As a phone shows it', preview, size),
                      card('Try it', field('Test device', self), el('div', { class: 'buttons' }, testButton)),
                      card('Send', dry, error, done, el('div', { class: 'buttons' }, dryButton, sendButton)))));

                  // Content

                  function addLanguage() {
                    const one = content(changed, false);
                    const block = el('fieldset', { class: 'card' }, el('legend', {}, 'Language'), one.node, el('div', { class: 'buttons' }, button('Remove', () => { languages.splice(languages.indexOf(one), 1); block.remove(); changed(); }, 'quiet')));
                    languages.push(one);
                    languageList.append(block);
                    one.inputs.language.focus();
                    changed();
                  }

                  /** The payload of a body. Throws a text if a field cannot be used. */
                  function payload({ inputs }) {
                    const aps = {};
                    if (pushType.value === 'background') aps['content-available'] = 1;
                    else {
                      const alert = {};
                      for (const name of ['title', 'subtitle', 'body']) if (inputs[name].value) alert[name] = inputs[name].value;
                      if (Object.keys(alert).length) aps.alert = alert;
                      if (options.badge.value) aps.badge = Number(options.badge.value);
                      if (options.sound.value) aps.sound = options.sound.value;
                      if (options.thread.value) aps['thread-id'] = options.thread.value;
                      if (options.category.value) aps.category = options.category.value;
                      if (options.level.value) aps['interruption-level'] = options.level.value;
                    }
                    let data = {};
                    if (options.data.value.trim()) {
                      try { data = JSON.parse(options.data.value); } catch { throw new Error('The data of the app is no JSON.'); }
                      if (typeof data !== 'object' || Array.isArray(data) || !data) throw new Error('The data of the app must be an object.');
                    }
                    return { ...data, aps };
                  }

                  function whole() {
                    if (raw.checked) {
                      try { return JSON.parse(rawText.value); } catch (problem) { throw new Error(`The payload is no JSON: ${problem.message}`); }
                    }
                    return payload(main_);
                  }

                  const hasText = (one) => ['title', 'subtitle', 'body'].some((name) => one.inputs[name].value);

                  function phone(language, aps) {
                    const alert = typeof aps?.alert === 'string' ? { body: aps.alert } : aps?.alert ?? {};
                    return el('div', { class: 'phone' }, el('div', { class: 'lang' }, language),
                      aps?.['content-available'] && !aps.alert ? el('div', { class: 'push' }, el('span', { class: 'icon', 'aria-hidden': 'true' }, '·'), el('b', {}, 'Nothing is shown'), el('span', { class: 'text' }, 'A silent push wakes the app.'))
                        : el('div', { class: 'push' }, el('span', { class: 'icon', 'aria-hidden': 'true' }, (context.app.split('.').pop() || 'A')[0].toUpperCase()),
                          el('b', {}, el('span', {}, alert.title ?? (context.app.split('.').pop() || 'App')), el('small', {}, 'now')), alert.subtitle ? el('strong', {}, alert.subtitle) : null, el('span', { class: 'text' }, alert.body ?? '')));
                  }

                  function changed() {
                    fields.hidden = raw.checked;
                    rawText.hidden = !raw.checked;
                    for (const [kind, node] of Object.entries(audienceFields)) node.hidden = kind !== audience.value;
                    dry.hidden = true;
                    try {
                      const one = whole();
                      const others = raw.checked ? [] : languages.filter(hasText);
                      preview.replaceChildren(phone(others.length ? 'every other language' : 'every language', one.aps), ...others.map((each) => phone(each.inputs.language.value || '?', payload(each).aps)));
                      setText(size, `${number(new TextEncoder().encode(JSON.stringify(one)).length)} of 4,096 bytes`);
                    } catch (problem) {
                      setText(size, problem.message);
                    }
                  }

                  raw.addEventListener('change', () => { if (raw.checked) try { rawText.value = JSON.stringify(payload(main_), null, 2); } catch { /* The text stays. */ } changed(); });
                  for (const each of [rawText, audience, pushType, ...Object.values(options)]) each.addEventListener('input', changed);

                  // Sending

                  function message() {
                    const result = { app: context.app, push_type: pushType.value, audience: audience.value, lane: lane.value };
                    const bodies = raw.checked ? [] : languages.filter(hasText);
                    if (raw.checked || pushType.value === 'background' || hasText(main_) || !bodies.length) result.payload = whole();
                    if (bodies.length) result.bodies = bodies.map((each) => ({ language: each.inputs.language.value.trim(), payload: payload(each) }));
                    if (audience.value === 'topic') result.topic = topic.value.trim();
                    if (audience.value === 'groups') result.groups = groups.value.trim().split(/[\s,]+/).filter(Boolean);
                    if (audience.value === 'condition') result.condition = condition.input.value;
                    if (audience.value === 'devices') result.devices = devices.value.trim().split(/[\s,]+/).filter(Boolean).map(device);
                    if (label.value) result.label = label.value;
                    if (pace.value) result.pace = Number(pace.value);
                    if (at.value) result.send_at = new Date(at.value).getTime();
                    if (expiry.value) result.expiration = expiry.value === '0' ? 0 : Math.floor((at.value ? new Date(at.value).getTime() : Date.now()) / 1000) + Number(expiry.value);
                    if (options.collapse.value) result.collapse_id = options.collapse.value;
                    return result;
                  }

                  async function attempt(body) {
                    setText(error, '');
                    done.hidden = true;
                    try {
                      return await body();
                    } catch (problem) {
                      setText(error, problem.code ? sentence(problem) : problem.message);
                      return null;
                    }
                  }

                  async function dryRun() {
                    const answer = await attempt(async () => call('send', { ...message(), dry_run: true }));
                    if (!answer) return null;
                    setText(dry, `${counted(answer.total, 'device')} would be addressed now. Nothing was sent.`);
                    dry.hidden = false;
                    return answer;
                  }

                  async function sendTest() {
                    localStorage.setItem('carillon-test-device', self.value.trim());
                    const answer = await attempt(async () => {
                      if (!self.value.trim()) throw new Error('Name your device first.');
                      const one = message();
                      for (const name of ['topic', 'groups', 'condition', 'pace', 'send_at']) delete one[name];
                      return call('send', { ...one, audience: 'devices', devices: [device(self.value)], lane: 'interactive', label: `test ${label.value}`.trim().slice(0, 100), key: crypto.randomUUID() });
                    });
                    if (answer) sent(answer, 'The test is sent.');
                  }

                  function sent(answer, what) {
                    done.replaceChildren(what, ' ', el('a', { href: `#/message/${encodeURIComponent(context.app)}/${answer.message_id}` }, `Message ${answer.message_id}`), ` for ${counted(answer.total, 'device')}.`);
                    done.hidden = false;
                  }

                  async function send() {
                    // The same key for each attempt of one intent: an answer that was lost sends nothing twice.
                    const one = await attempt(async () => message());
                    const count = one && await dryRun();
                    if (!count) return;
                    const when = one.send_at ? ` at ${timeText(one.send_at)}` : ' now';
                    const isLarge = count.total > TYPED_FROM;
                    const isSure = await confirm(`Send to ${counted(count.total, 'device')}?`, `The message goes to ${counted(count.total, 'device')} of ${context.app}${when}${one.pace ? `, at most ${number(one.pace)} a second` : ''}.`,
                      `Send to ${counted(count.total, 'device')}`, isLarge ? { typed: count.total } : {});
                    if (!isSure) return;
                    const key = crypto.randomUUID();
                    const answer = await attempt(async () => {
                      try { return await call('send', { ...one, key }); } catch (problem) {
                        if (problem.effect === 'unknown' || !problem.code) return call('send', { ...one, key });
                        throw problem;
                      }
                    });
                    if (answer) sent(answer, one.send_at ? 'The message is scheduled.' : 'The message is on its way.');
                  }

                  changed();
                }

                export default { title: 'Compose', show };

                """#),
        EmbeddedAsset(
            name: "condition.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // A field for a condition: its count while it is typed, errors under their column, names that complete.
                import { el, field, setText, table, tableRow, number, counted } from './dom.js';
                import { call, Refused, sentence } from './api.js';

                /** The place of the name that is typed: its kind, and what is typed of it; null outside of quotes. */
                function placeOf(text, caret) {
                  const before = text.slice(0, caret);
                  const quote = before.lastIndexOf("'");
                  if (quote < 0 || (before.split("'").length - 1) % 2 === 0) return null;
                  const after = text.slice(caret).match(/^[^']*'?\s*in\s+(topics|groups)/);
                  return { start: quote + 1, prefix: before.slice(quote + 1), kind: after?.[1] };
                }

                export function conditionField(context, signal, { value = '', onCount = () => {} } = {}) {
                  const input = el('textarea', { class: 'mono', rows: '3', spellcheck: 'false', autocomplete: 'off', maxlength: '16384', 'data-search': true, value,
                    role: 'combobox', 'aria-expanded': 'false', 'aria-autocomplete': 'list', 'aria-controls': 'suggestions' });
                  const list = el('ul', { role: 'listbox', id: 'suggestions', hidden: true, 'aria-label': 'Names' });
                  const fault = el('pre', { class: 'caret', hidden: true, role: 'alert' });
                  const count = el('p', { class: 'count', role: 'status' }, '–');
                  const canonical = el('code', {}, '');
                  const sets = table('Devices of each term', ['Term', '#Devices']);
                  let timer = null;
                  let serial = 0;
                  let chosen = -1;
                  let place = null;

                  async function explain() {
                    const condition = input.value;
                    const turn = ++serial;
                    if (!condition.trim()) {
                      setText(count, '–'); setText(canonical, ''); fault.hidden = true; sets.body.replaceChildren();
                      return onCount(null);
                    }
                    try {
                      const answer = await call('explain', { app: context.app, condition }, { signal });
                      if (turn !== serial) return;
                      fault.hidden = true;
                      setText(count, counted(answer.devices, 'device'));
                      setText(canonical, answer.condition);
                      sets.body.replaceChildren(...answer.sets.map((each) => tableRow([el('code', {}, each.set), `#${number(each.devices)}`])));
                      onCount(answer.devices);
                    } catch (problem) {
                      if (turn !== serial || signal.aborted) return;
                      setText(count, '–');
                      sets.body.replaceChildren();
                      setText(canonical, '');
                      fault.hidden = false;
                      if (problem instanceof Refused && problem.column) {
                        // The column counts bytes; the caret stands under the line that has it.
                        const bytes = new TextEncoder().encode(condition).slice(0, problem.column - 1);
                        const before = new TextDecoder().decode(bytes);
                        const start = before.lastIndexOf('\n') + 1;
                        const line = condition.slice(start).split('\n')[0];
                        setText(fault, `${line}\n${' '.repeat(before.length - start)}^ ${problem.message}`);
                      } else setText(fault, sentence(problem));
                      onCount(null);
                    }
                  }

                  async function suggest() {
                    place = placeOf(input.value, input.selectionStart);
                    const turn = serial;
                    if (!place || !context.app) return close();
                    const wanted = { app: context.app, prefix: place.prefix, limit: 8 };
                    try {
                      const found = await Promise.all([place.kind === 'groups' ? null : call('topics', wanted, { signal }), place.kind === 'topics' ? null : call('groups', wanted, { signal })]);
                      if (turn > serial || !document.activeElement || document.activeElement !== input) return;
                      const names = [...(found[0]?.topics ?? []).map((each) => [each.topic, 'topics', each.devices]), ...(found[1]?.groups ?? []).map((each) => [each.group, 'groups', each.devices])].slice(0, 8);
                      if (!names.length || (names.length === 1 && names[0][0] === place.prefix)) return close();
                      list.replaceChildren(...names.map(([name, kind, devices], index) => el('li', {
                        role: 'option', id: `suggestion-${index}`, 'aria-selected': 'false', onpointerdown: (event) => { event.preventDefault(); take(name, kind); },
                      }, el('span', {}, name), el('small', {}, `${kind}, ${counted(devices, 'device')}`))));
                      list.names = names;
                      list.hidden = false;
                      input.setAttribute('aria-expanded', 'true');
                      choose(-1);
                    } catch { close(); }
                  }

                  function close() {
                    list.hidden = true;
                    chosen = -1;
                    input.setAttribute('aria-expanded', 'false');
                    input.removeAttribute('aria-activedescendant');
                  }

                  function choose(index) {
                    chosen = index;
                    [...list.children].forEach((node, position) => node.setAttribute('aria-selected', String(position === index)));
                    if (index >= 0) input.setAttribute('aria-activedescendant', `suggestion-${index}`); else input.removeAttribute('aria-activedescendant');
                  }

                  function take(name, kind) {
                    const rest = input.value.slice(place.start + place.prefix.length).replace(/^[^'\s)]*'?(\s*in\s+(topics|groups))?/, '');
                    const text = `${input.value.slice(0, place.start)}${name}' in ${kind}`;
                    input.value = text + rest;
                    input.setSelectionRange(text.length, text.length);
                    close();
                    changed();
                  }

                  function changed() {
                    clearTimeout(timer);
                    timer = setTimeout(explain, 300);
                  }

                  input.addEventListener('input', () => { changed(); suggest(); });
                  input.addEventListener('blur', close);
                  input.addEventListener('keydown', (event) => {
                    if (list.hidden) return;
                    const last = list.children.length - 1;
                    if (event.key === 'ArrowDown') { event.preventDefault(); choose(chosen >= last ? 0 : chosen + 1); }
                    if (event.key === 'ArrowUp') { event.preventDefault(); choose(chosen <= 0 ? last : chosen - 1); }
                    if (event.key === 'Escape') { event.preventDefault(); close(); }
                    if (event.key === 'Enter' && chosen >= 0) { event.preventDefault(); take(list.names[chosen][0], list.names[chosen][1]); }
                  });
                  signal.addEventListener('abort', () => clearTimeout(timer));
                  const node = el('div', { class: 'fields' }, el('div', { class: 'wide' }, field('Condition', input, "As 'level5' in topics && ('en' in topics || locale == 'zh') && !('user/42' in groups). Names complete within quotes."),
                    el('div', { class: 'suggestions' }, list), fault));
                  if (value) explain();
                  return { node, input, count, canonical, sets, explain };
                }

                """#),
        EmbeddedAsset(
            name: "console.css", type: "text/css; charset=utf-8",
            text: #"""
                :root {
                  color-scheme: light dark;
                  --ground: #f5f6f8; --surface: #fff; --text: #1b1f27; --soft: #586072; --line: #dfe3ea; --field: #8b93a5;
                  --accent: #2f5bd0; --accent-text: #fff; --accent-soft: #e7edfb;
                  --good: #1f7a4a; --good-soft: #e0f2e8; --bad: #b3261e; --bad-soft: #fbe6e4; --held: #8a5a00; --held-soft: #faefd9; --other: #6a5acd;
                  --radius: 10px; --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace;
                }
                @media (prefers-color-scheme: dark) {
                  :root:not([data-theme="light"]) {
                    --ground: #12151b; --surface: #1a1e26; --text: #e6e9ef; --soft: #a2abbd; --line: #2c323e; --field: #6b7488;
                    --accent: #8aa9ff; --accent-text: #0e1630; --accent-soft: #222c47;
                    --good: #6fd39c; --good-soft: #173527; --bad: #ff8f86; --bad-soft: #451f1d; --held: #f0c063; --held-soft: #3b2f14; --other: #b0a4ff;
                  }
                }
                :root[data-theme="dark"] {
                  color-scheme: dark;
                  --ground: #12151b; --surface: #1a1e26; --text: #e6e9ef; --soft: #a2abbd; --line: #2c323e; --field: #6b7488;
                  --accent: #8aa9ff; --accent-text: #0e1630; --accent-soft: #222c47;
                  --good: #6fd39c; --good-soft: #173527; --bad: #ff8f86; --bad-soft: #451f1d; --held: #f0c063; --held-soft: #3b2f14; --other: #b0a4ff;
                }
                :root[data-theme="light"] { color-scheme: light; }
                @media (prefers-contrast: more) { :root { --soft: var(--text); --line: var(--field); } }
                * { box-sizing: border-box; }
                [hidden] { display: none !important; }
                html { font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; scrollbar-gutter: stable; }
                body { margin: 0; background: var(--ground); color: var(--text); font-variant-numeric: tabular-nums; display: grid; grid-template: 1fr auto / 13.5rem minmax(0, 1fr); min-height: 100vh; }
                h1, h2, h3, p, ul, figure, dl { margin: 0; padding: 0; }
                ul { list-style: none; }
                a { color: var(--accent); text-underline-offset: 2px; }
                h1 { font-size: 1.45rem; font-weight: 650; letter-spacing: -0.01em; }
                h2 { font-size: 1rem; font-weight: 650; }
                h3 { font-size: 0.93rem; font-weight: 600; }
                small, .soft { color: var(--soft); font-size: 0.87rem; }
                code, pre, .mono { font-family: var(--mono); font-size: 0.87rem; }
                :focus-visible { outline: 2.5px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
                main:focus { outline: none; }
                .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
                .skip { position: absolute; left: -100vw; top: 0; z-index: 9; background: var(--surface); padding: 0.6rem 1rem; }
                .skip:focus { left: 0; }

                header { grid-row: 1 / 3; background: var(--surface); border-right: 1px solid var(--line); padding: 1rem 0.8rem; display: flex; flex-direction: column; gap: 1rem; position: sticky; top: 0; height: 100vh; overflow-y: auto; }
                .brand { display: flex; align-items: center; gap: 0.55rem; font-weight: 700; font-size: 1.1rem; color: var(--text); text-decoration: none; padding: 0.2rem 0.4rem; }
                .brand svg { width: 1.5rem; height: 1.5rem; fill: var(--accent); }
                nav { display: grid; gap: 2px; }
                nav a { white-space: nowrap; display: flex; justify-content: space-between; padding: 0.42rem 0.65rem; border-radius: 7px; color: var(--text); text-decoration: none; min-height: 2rem; }
                nav a:hover { background: var(--ground); }
                nav a[aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
                nav kbd { color: var(--soft); font: 0.75rem var(--mono); opacity: 0.8; align-self: center; }
                .tools { margin-top: auto; display: grid; gap: 0.6rem; font-size: 0.87rem; }
                .who { display: flex; justify-content: space-between; align-items: center; gap: 0.4rem; border-top: 1px solid var(--line); padding-top: 0.6rem; overflow-wrap: anywhere; }
                main { padding: 1.4rem clamp(0.9rem, 2.5vw, 2rem) 2rem; display: grid; gap: 1.1rem; align-content: start; max-width: 84rem; width: 100%; grid-column: 2; }
                footer { grid-column: 2; display: flex; gap: 1.2rem; align-items: center; padding: 0.4rem clamp(0.9rem, 2.5vw, 2rem); color: var(--soft); font-size: 0.83rem; border-top: 1px solid var(--line); }
                footer .lost { color: var(--bad); font-weight: 600; }
                footer button { margin-left: auto; }
                body.out { grid-template-columns: 1fr; place-items: center; }
                body.out main { grid-column: 1; max-width: 26rem; align-content: center; }

                .head { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 0.9rem; }
                .head .buttons { margin-left: auto; }
                .card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); padding: 0.95rem 1.1rem 1.05rem; display: grid; gap: 0.7rem; align-content: start; min-width: 0; }
                .grid { display: grid; gap: 1.1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
                .two { display: grid; gap: 1.1rem; grid-template-columns: minmax(0, 3fr) minmax(min(100%, 18rem), 2fr); }
                .tiles { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 0.7rem; }
                .tile { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); padding: 0.65rem 0.9rem; }
                .tile b { display: block; font-size: 1.5rem; font-weight: 600; letter-spacing: -0.02em; line-height: 1.25; white-space: nowrap; }
                .tile span { color: var(--soft); font-size: 0.83rem; }
                .notice, .alarm { border-radius: var(--radius); padding: 0.6rem 0.9rem; background: var(--accent-soft); }
                .alarms { display: grid; gap: 0.4rem; }
                .alarm { background: var(--bad-soft); border-left: 4px solid var(--bad); }
                .alarm.mild { background: var(--held-soft); border-left-color: var(--held); }
                .alarm strong::before { content: "⚠ "; }
                .fine { background: var(--good-soft); border-left: 4px solid var(--good); border-radius: var(--radius); padding: 0.45rem 0.9rem; }
                .error { color: var(--bad); min-height: 1.45em; overflow-wrap: anywhere; }
                .error:empty { min-height: 0; }
                main > .error:empty { display: none; }
                .error:not(:empty)::before { content: "✕ "; }

                .scroll { overflow-x: auto; }
                table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
                caption { text-align: left; color: var(--soft); font-size: 0.83rem; padding-bottom: 0.3rem; }
                .card > .scroll caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
                th { text-align: left; font-weight: 600; color: var(--soft); font-size: 0.8rem; white-space: nowrap; }
                th, td { padding: 0.36rem 0.7rem 0.36rem 0; border-bottom: 1px solid var(--line); vertical-align: middle; }
                tr:last-child td { border-bottom: 0; }
                td.number, th.number { text-align: right; white-space: nowrap; }
                tbody tr:hover { background: color-mix(in srgb, var(--accent-soft) 45%, transparent); }
                td time, .nowrap { white-space: nowrap; }
                .empty { color: var(--soft); padding: 0.4rem 0; }
                dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.25rem 1rem; font-size: 0.93rem; }
                dl.facts dt { color: var(--soft); }
                dl.facts dd { margin: 0; overflow-wrap: anywhere; }

                .chip { display: inline-block; padding: 0.08rem 0.55rem; border-radius: 99px; font-size: 0.8rem; font-weight: 600; background: var(--ground); border: 1px solid var(--line); white-space: nowrap; }
                .chip.busy { background: var(--accent-soft); color: var(--accent); border-color: transparent; }
                .chip.busy::before { content: "▸ "; }
                .chip.done { background: var(--good-soft); color: var(--good); border-color: transparent; }
                .chip.done::before { content: "✓ "; }
                .chip.held { background: var(--held-soft); color: var(--held); border-color: transparent; }
                .chip.held::before { content: "‖ "; }
                .chip.bad { background: var(--bad-soft); color: var(--bad); border-color: transparent; }
                .chip.bad::before { content: "✕ "; }

                progress { appearance: none; width: 100%; min-width: 5rem; height: 0.55rem; border: 0; border-radius: 99px; overflow: hidden; background: var(--line); display: block; color: var(--accent); }
                progress::-webkit-progress-bar { background: var(--line); }
                progress::-webkit-progress-value { background: var(--accent); }
                progress::-moz-progress-bar { background: var(--accent); }
                .bar { height: 0.55rem; border-radius: 99px; background: var(--field); min-width: 2px; }
                .bar.delivered { background: var(--good); } .bar.failed { background: var(--bad); } .bar.not-sent { background: var(--held); } .bar.pending { background: var(--accent); }

                .field { display: grid; gap: 0.2rem; min-width: 0; align-content: start; }
                .field label, .field.inline { font-size: 0.83rem; color: var(--soft); }
                .field.inline { grid-template-columns: 4.2rem minmax(0, 1fr); align-items: center; }
                .field.inline[for=app] { grid-template-columns: minmax(0, 1fr); }
                input, select, textarea { font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--field); border-radius: 7px; padding: 0.35rem 0.55rem; min-height: 2.1rem; width: 100%; min-width: 0; }
                input[type=checkbox] { width: 1.15rem; height: 1.15rem; min-height: 0; accent-color: var(--accent); margin: 0; }
                .check { display: flex; gap: 0.5rem; align-items: center; min-height: 1.7rem; }
                textarea { resize: vertical; min-height: 4.5rem; }
                textarea.mono { line-height: 1.5; tab-size: 2; }
                .fields { display: grid; gap: 0.7rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 11rem), 1fr)); align-items: start; }
                .wide { grid-column: 1 / -1; }
                .fields > .buttons, form.fields > .buttons { align-self: end; }
                .two > *, .grid > .card { align-self: start; }
                td:has(> .bar) { width: 40%; }
                button { font: inherit; font-weight: 550; color: inherit; background: var(--surface); border: 1px solid var(--field); border-radius: 7px; padding: 0.3rem 0.8rem; min-height: 2.1rem; cursor: pointer; white-space: nowrap; }
                button:hover:not(:disabled) { border-color: var(--accent); }
                button:disabled { opacity: 0.5; cursor: default; }
                button.primary { background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
                button.danger { background: var(--bad); border-color: var(--bad); color: var(--surface); }
                button.quiet { border-color: transparent; background: none; color: var(--accent); padding-inline: 0.4rem; min-height: 1.7rem; }
                .buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; }
                dialog { border: 1px solid var(--line); border-radius: 14px; background: var(--surface); color: var(--text); padding: 1.3rem 1.4rem; max-width: min(30rem, 92vw); box-shadow: 0 20px 60px rgb(0 0 0 / 30%); }
                dialog form { display: grid; gap: 0.9rem; }
                dialog::backdrop { background: rgb(10 14 24 / 45%); }
                dialog .buttons { justify-content: end; }
                kbd { font-family: var(--mono); font-size: 0.83rem; }

                .chart { display: grid; gap: 0.45rem; }
                .chart figcaption { font-weight: 600; font-size: 0.93rem; display: flex; justify-content: space-between; }
                .chart .when { color: var(--soft); font-weight: 400; }
                .frame { position: relative; height: 11.5rem; }
                .frame svg { width: 100%; height: 100%; display: block; touch-action: pan-y; }
                .labels span { position: absolute; font-size: 0.72rem; color: var(--soft); white-space: nowrap; pointer-events: none; }
                .labels .y { transform: translate(calc(-100% - 6px), -50%); }
                .labels .x { transform: translateX(-50%); }
                .labels .x.end { transform: translateX(-100%); } .labels .x.start { transform: none; }
                .grid line { stroke: var(--line); vector-effect: non-scaling-stroke; }
                svg .grid { display: inline; }
                .line { fill: none; stroke-width: 1.8; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
                .cursor { stroke: var(--soft); stroke-dasharray: 3 3; vector-effect: non-scaling-stroke; }
                .legend { display: flex; flex-wrap: wrap; gap: 0.15rem 1.1rem; font-size: 0.83rem; color: var(--soft); }
                .legend b { color: var(--text); font-weight: 600; display: inline-block; min-width: 3.2rem; }
                .legend i { display: inline-block; width: 0.65rem; height: 0.65rem; border-radius: 3px; margin-right: 0.3rem; background: currentColor; }
                .line-delivered, .line-a { stroke: var(--good); } .area.line-delivered { fill: var(--good); stroke: none; opacity: 0.85; } .key-delivered i, .key-a i { background: var(--good); }
                .line-failed, .line-b { stroke: var(--bad); } .area.line-failed { fill: var(--bad); stroke: none; } .key-failed i, .key-b i { background: var(--bad); }
                .line-not_sent { stroke: var(--held); } .area.line-not_sent { fill: var(--held); stroke: none; } .key-not_sent i { background: var(--held); }
                .line-in_flight, .line-commit_p50, .line-ended { stroke: var(--accent); } .key-in_flight i, .key-commit_p50 i, .key-ended i { background: var(--accent); }
                .line-bulk_waiting, .line-commit_p99 { stroke: var(--other); stroke-dasharray: 6 3; } .key-bulk_waiting i, .key-commit_p99 i { background: var(--other); }
                .line-interactive_waiting { stroke: var(--held); stroke-dasharray: 2 3; } .key-interactive_waiting i { background: var(--held); }
                details summary { cursor: pointer; color: var(--soft); font-size: 0.83rem; min-height: 1.5rem; }

                .phones { display: grid; gap: 0.7rem; }
                .phone { border-radius: 16px; background: linear-gradient(160deg, #4a5f8f, #2a3350); padding: 0.9rem; }
                .phone .lang { color: #e3e9fa; font-size: 0.78rem; padding-bottom: 0.4rem; }
                .push { background: rgb(248 249 252 / 94%); color: #14181f; border-radius: 13px; padding: 0.6rem 0.75rem; display: grid; grid-template-columns: 2.1rem 1fr; gap: 0.1rem 0.6rem; font-size: 0.9rem; overflow-wrap: anywhere; }
                .push .icon { grid-row: 1 / 4; width: 2.1rem; height: 2.1rem; border-radius: 8px; background: #2f5bd0; color: #fff; display: grid; place-items: center; font-weight: 700; }
                .push b { display: flex; justify-content: space-between; gap: 0.5rem; }
                .push b small { color: #565d6b; font-weight: 400; }
                .push .text { white-space: pre-wrap; display: -webkit-box; -webkit-line-clamp: 4; -webkit-box-orient: vertical; overflow: hidden; }

                .caret { font-family: var(--mono); font-size: 0.87rem; white-space: pre; overflow-x: auto; background: var(--bad-soft); border-radius: 7px; padding: 0.5rem 0.7rem; }
                .suggestions { position: relative; }
                .suggestions ul { position: absolute; z-index: 5; inset: 0 auto auto 0; min-width: 18rem; max-width: 100%; background: var(--surface); border: 1px solid var(--line); border-radius: 8px; box-shadow: 0 8px 30px rgb(0 0 0 / 18%); padding: 4px; max-height: 16rem; overflow-y: auto; }
                .suggestions li { padding: 0.35rem 0.6rem; border-radius: 6px; display: flex; justify-content: space-between; gap: 1rem; cursor: pointer; overflow-wrap: anywhere; }
                .suggestions li[aria-selected=true] { background: var(--accent-soft); }
                .count { font-size: 2.2rem; font-weight: 600; letter-spacing: -0.02em; }
                .log { max-height: 34rem; overflow: auto; }

                @media (max-width: 52rem) {
                  body { grid-template: auto 1fr auto / minmax(0, 1fr); }
                  header { grid-row: auto; position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); padding: 0.6rem 0.7rem; gap: 0.6rem; }
                  nav { display: flex; overflow-x: auto; gap: 0.2rem; }
                  nav kbd { display: none; }
                  .tools { margin-top: 0; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); }
                  .who { border-top: 0; padding-top: 0; }
                  main, footer { grid-column: 1; }
                  .two { grid-template-columns: minmax(0, 1fr); }
                  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); }
                  .frame { margin-left: 1.2rem; }
                  .labels .minor { display: none; }
                  .head .buttons { margin-left: 0; }
                  footer { flex-wrap: wrap; }
                }
                @media (min-width: 78rem) { .tiles { grid-template-columns: repeat(8, minmax(0, 1fr)); } .tile b { font-size: 1.3rem; } }
                @media (prefers-reduced-motion: no-preference) { .bar, progress::-webkit-progress-value { transition: width 0.3s; } }
                @media (forced-colors: active) { .bar { background: CanvasText; } .chip, .card, .tile { border: 1px solid; } .line, .area { stroke: CanvasText; } }

                """#),
        EmbeddedAsset(
            name: "credentials.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The credentials for APNs: what they are, when they end, whether APNs takes them.
                import { el, table, tableRow, rows, fill, setText, number, time, chip, field } from './dom.js';
                import { api, call, poll, sentence } from './api.js';

                function show(main, { signal }) {
                  const error = el('p', { class: 'error', role: 'alert' });
                  const list = table('Credentials', ['Credential', 'Kind', 'Team', 'Key', 'Expires', 'Apps']);
                  const use = table('Use', ['Credential', 'Environment', 'State', '#Connections', '#Pushes since the start', '#Failed connections', 'Last failure']);
                  const server = el('p', { class: 'soft' });
                  main.append(el('div', { class: 'head' }, el('h1', {}, 'Credentials')), error,
                    el('section', { class: 'card' }, el('h2', {}, 'Credentials'), list.node, server), el('section', { class: 'card' }, el('h2', {}, 'Use'), use.node,
                      el('p', { class: 'soft' }, 'A refused credential is tried again by itself after 1, 5, 15 and 60 minutes, then every hour. After a change of apps.json, reload the server.')));

                  function expiry(each) {
                    if (!each.not_after) return 'never';
                    const days = Math.floor((each.not_after - Date.now()) / 86400000);
                    return el('span', {}, time(each.not_after), ' ', chip(days < 0 ? 'expired' : `${number(days)} days`, days < 0 ? 'bad' : days < 30 ? 'held' : 'done'));
                  }

                  poll(signal, async () => {
                    try {
                      const [settings, now] = await Promise.all([api('settings', {}, { poll: true, signal }), call('statistics', {}, { poll: true, signal })]);
                      setText(error, '');
                      rows(list.body, settings.credentials, (each) => JSON.stringify(each), (each) => tableRow([each.credential, each.kind, each.team_id ?? '–', each.key_id ?? '–', expiry(each),
                        settings.apps.flatMap((app) => ['production', 'sandbox'].filter((name) => app[name] === each.credential).map((name) => `${app.app} (${name})`)).join(', ') || 'none']));
                      server.replaceChildren(...(settings.certificate_not_after ? ['The certificate of this server expires ', time(settings.certificate_not_after), '.'] : []));
                      rows(use.body, now.pools.map((pool, index) => ({ ...pool, failure: (now.failures ?? []).find((one) => one.pool === index) })), (each) => `${each.credential}/${each.environment}`,
                        (each) => tableRow([each.credential, each.environment, el('span'), '#', '#', '#', '']), (row, each) => {
                          const state = each.stopped ? ['refused', 'bad'] : each.failure?.unreachable ? ['unreachable', 'bad'] : each.attempts ? ['accepted', 'done'] : ['not used yet', ''];
                          if (row.cells[2].textContent !== state[0]) row.cells[2].replaceChildren(chip(...state));
                          fill(row, [undefined, undefined, undefined, number(each.open), number(each.attempts), number(each.failure?.count ?? 0), each.failure ? `${each.failure.reason}` : '–']);
                        });
                    } catch (problem) {
                      if (signal.aborted) return;
                      setText(error, sentence(problem));
                      throw problem;
                    }
                  });
                }

                export default { title: 'Credentials', show };

                """#),
        EmbeddedAsset(
            name: "dom.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // Elements, figures and times. All text goes into the page as text nodes: nothing that the server sends is markup.

                /** Makes an element. `options` has attributes, `on…` handlers, and `class`. */
                export function el(name, options = {}, ...children) {
                  const node = document.createElement(name);
                  for (const [key, value] of Object.entries(options)) {
                    if (value === undefined || value === null || value === false) continue;
                    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
                    else if (key === 'value') node.value = value;
                    else node.setAttribute(key, value === true ? '' : value);
                  }
                  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
                  return node;
                }

                /** Makes an element of SVG. */
                export function svg(name, attributes = {}, ...children) {
                  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
                  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
                  node.append(...children);
                  return node;
                }

                /** Sets the text of a node, if it is another one: a node that stays keeps its place and its reader. */
                export function setText(node, text) {
                  const wanted = String(text);
                  if (node.textContent !== wanted) node.textContent = wanted;
                }

                /** Makes the children of `parent` those of `items`, by key. Nodes that stay are not replaced, so focus stays too. */
                export function rows(parent, items, key, create, update) {
                  const known = parent.rowsByKey ?? (parent.rowsByKey = new Map());
                  const wanted = new Set(items.map((item) => String(key(item))));
                  for (const [name, node] of known) {
                    if (!wanted.has(name)) { node.remove(); known.delete(name); }
                  }
                  let before = parent.firstChild;
                  for (const item of items) {
                    const name = String(key(item));
                    let node = known.get(name);
                    if (!node) { node = create(item); known.set(name, node); }
                    if (update) update(node, item);
                    if (node === before) before = before.nextSibling;
                    else parent.insertBefore(node, before);
                  }
                }

                /** A table with a caption and column heads. A column that begins with # has numbers. */
                export function table(caption, columns, options = {}) {
                  const body = el('tbody');
                  const heads = columns.map((name) => el('th', { scope: 'col', class: name.startsWith('#') ? 'number' : null }, name.replace('#', '')));
                  const whole = el('table', options, el('caption', {}, caption), el('thead', {}, el('tr', {}, heads)), body);
                  return { node: el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, whole), body };
                }

                /** A row of a table: texts and nodes. A text that begins with # is a number. */
                export function tableRow(values) {
                  return el('tr', {}, values.map((value) => {
                    const isNumber = typeof value === 'string' && value.startsWith('#');
                    return el('td', { class: isNumber ? 'number' : null }, isNumber ? value.slice(1) : value ?? '');
                  }));
                }

                /** Fills a row with texts, in the cells that have them. */
                export function fill(row, values) {
                  values.forEach((value, index) => {
                    if (value === undefined) return;
                    const text = typeof value === 'string' && value.startsWith('#') ? value.slice(1) : value;
                    if (typeof text === 'string') setText(row.cells[index], text);
                  });
                }

                /** A field with its label. */
                export function field(label, control, note) {
                  const id = control.id || `f${field.next = (field.next ?? 0) + 1}`;
                  control.id = id;
                  const children = [el('label', { for: id }, label), control];
                  if (note) {
                    control.setAttribute('aria-describedby', `${id}-note`);
                    children.push(el('small', { id: `${id}-note` }, note));
                  }
                  return el('div', { class: 'field' }, children);
                }

                export function select(options, value) {
                  const node = el('select', {}, options.map((each) => {
                    const [word, text] = Array.isArray(each) ? each : [each, each];
                    return el('option', { value: word }, text);
                  }));
                  node.value = value ?? node.options[0].value;
                  return node;
                }

                export const button = (text, onclick, kind = '') => el('button', { type: 'button', class: kind, onclick }, text);
                export const card = (title, ...children) => el('section', { class: 'card' }, el('h2', {}, title), children);

                // Figures

                const whole = new Intl.NumberFormat('en');
                const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
                const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
                const clock = new Intl.DateTimeFormat('en-GB', {
                  year: 'numeric', month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short',
                });

                export const number = (value) => whole.format(value ?? 0);
                export const compact = (value) => short.format(value ?? 0);
                export const share = (part, total) => (total ? percent.format(part / total) : '–');
                export const counted = (value, noun) => `${number(value)} ${noun}${value === 1 ? '' : 's'}`;

                export function bytes(value) {
                  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
                  let unit = 0;
                  let rest = value ?? 0;
                  while (rest >= 1024 && unit < units.length - 1) { rest /= 1024; unit += 1; }
                  return `${rest >= 100 || unit === 0 ? Math.round(rest) : rest.toFixed(1)} ${units[unit]}`;
                }

                export function duration(ms) {
                  if (ms < 1) return `${(ms * 1000).toFixed(0)} µs`;
                  if (ms < 1000) return `${Math.round(ms)} ms`;
                  const seconds = ms / 1000;
                  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
                  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
                  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.round(seconds % 3600 / 60)} min`;
                  return `${Math.floor(seconds / 86400)} d ${Math.round(seconds % 86400 / 3600)} h`;
                }

                /** A time in the zone of the reader; UTC on hover. */
                export function time(ms) {
                  if (!ms) return el('span', {}, '–');
                  const date = new Date(ms);
                  return el('time', { datetime: date.toISOString(), title: date.toISOString() }, clock.format(date));
                }

                export const timeText = (ms) => (ms ? clock.format(new Date(ms)) : '–');

                /** A state as a word with a colour and a shape. */
                export function chip(word, kind = '') {
                  return el('span', { class: `chip ${kind}` }, word);
                }

                const STATES = { sending: 'busy', finished: 'done', paused: 'held', scheduled: 'held', waiting: 'busy' };
                export function stateChip(state) { return chip(state, STATES[state] ?? ''); }

                const FAILED = new Set(['gave-up', 'no-credential', 'token-unregistered', 'token-expired', 'bad-token', 'token-not-for-topic',
                  'payload-too-large', 'topic-disallowed', 'bad-topic', 'bad-request', 'forbidden', 'refused']);
                /** What an outcome means: delivered, failed, pending or not sent. */
                export function outcomeKind(outcome) {
                  if (outcome === 'delivered') return 'delivered';
                  if (!outcome || outcome === 'pending') return 'pending';
                  return FAILED.has(outcome) || typeof outcome === 'number' ? 'failed' : 'not-sent';
                }

                /** Asks with a dialog; true if the answer is yes. With `typed`, the number must be typed. */
                export function confirm(title, text, yes, { typed, danger } = {}) {
                  return new Promise((resolve) => {
                    const input = typed === undefined ? null : el('input', { inputmode: 'numeric', autocomplete: 'off' });
                    const go = el('button', { class: danger ? 'danger' : 'primary', value: 'yes', disabled: !!input }, yes);
                    if (input) input.addEventListener('input', () => { go.disabled = input.value.replace(/[\s,.]/g, '') !== String(typed); });
                    const form = el('form', { method: 'dialog' }, el('h2', { id: 'question' }, title), el('p', {}, text),
                      input ? field(`Type ${number(typed)} to confirm`, input) : null,
                      el('div', { class: 'buttons' }, el('button', { value: 'no', formnovalidate: true, class: 'quiet' }, 'Back'), go));
                    const dialog = el('dialog', { 'aria-labelledby': 'question', onclose: () => { resolve(dialog.returnValue === 'yes'); dialog.remove(); } }, form);
                    document.body.append(dialog);
                    dialog.showModal();
                  });
                }

                """#),
        EmbeddedAsset(
            name: "events.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The events of the server, as they happen.
                import { el, table, tableRow, time, setText, field, select, number, button } from './dom.js';
                import { events as stream, sentence } from './api.js';

                const KINDS = ['message-finished', 'delivery-failed', 'device-quarantined', 'token-replaced', 'device-moved', 'message-steered', 'connection-up', 'connection-down',
                  'credential-refused', 'bad-tokens-began', 'bad-tokens-ended', 'pool-unreachable', 'pool-reachable'];
                const SHOWN = 500;
                const OLDEST = '18446744073709551614';

                function show(main, { parameters, signal, context }) {
                  const kind = select([['', 'every kind'], ...KINDS], parameters.get('kind') ?? '');
                  const text = el('input', { 'data-search': true, placeholder: 'message, device or word', spellcheck: 'false' });
                  const error = el('p', { class: 'error', role: 'alert' });
                  const state = el('span', { class: 'soft', role: 'status' }, 'connecting');
                  const list = table('Events', ['#Number', 'Time', 'Kind', 'App', 'About', 'Text']);
                  list.node.classList.add('log');
                  let last = null;
                  let attempt = null;
                  let found = [];
                  main.append(el('div', { class: 'head' }, el('h1', {}, 'Events'), state, el('div', { class: 'buttons' }, button('Clear', () => { found = []; list.body.replaceChildren(); }))),
                    el('section', { class: 'card' }, el('div', { class: 'fields' }, field('Kind', kind), field('Shows only', text)), error, list.node));

                  function about(event) {
                    const parts = [];
                    const app = encodeURIComponent(event.app ?? context.app);
                    if (event.message_id) parts.push(el('a', { href: `#/message/${app}/${event.message_id}` }, `message ${event.message_id}`), ' ');
                    if (event.device_id) parts.push(el('a', { href: `#/lookup?app=${app}&q=${event.device_id}` }, `device ${event.device_id}`), ' ');
                    if (event.outcome) parts.push(`${event.outcome} `);
                    if (event.count) parts.push(`${number(event.count)} devices`);
                    if (event.kind === 'gap') parts.push(`events ${event.missed_from} to ${event.missed_to - 1} were removed before they could be shown`);
                    return parts;
                  }

                  const matches = (row) => !text.value.trim() || row.textContent.toLowerCase().includes(text.value.trim().toLowerCase());

                  function add(event) {
                    last = event.sequence;
                    const row = el('tr', { class: event.kind === 'gap' ? 'gap' : null }, [el('td', { class: 'number' }, String(event.sequence)), el('td', {}, time(event.at)), el('td', {}, String(event.kind)), el('td', {}, event.app ?? '–'), el('td', {}, about(event)), el('td', {}, event.text ?? '')]);
                    row.hidden = !matches(row);
                    list.body.prepend(row);
                    found.unshift(row);
                    while (found.length > SHOWN) found.pop().remove();
                  }

                  text.addEventListener('input', () => { for (const row of found) row.hidden = !matches(row); });
                  kind.addEventListener('change', () => { found = []; list.body.replaceChildren(); last = null; attempt?.abort(); });

                  async function follow() {
                    let failures = 0;
                    while (!signal.aborted) {
                      if (document.hidden) await new Promise((resolve) => { document.addEventListener('visibilitychange', resolve, { once: true }); });
                      attempt = new AbortController();
                      const stop = () => attempt.abort();
                      const hide = () => { if (document.hidden) attempt.abort(); };
                      signal.addEventListener('abort', stop);
                      document.addEventListener('visibilitychange', hide);
                      try {
                        const wanted = { from: last ?? OLDEST };
                        if (kind.value) wanted.kinds = [kind.value];
                        await stream(wanted, attempt.signal, () => { failures = 0; setText(error, ''); setText(state, 'live'); }, add);
                      } catch (problem) {
                        if (problem.name !== 'AbortError' && !signal.aborted) {
                          failures += 1;
                          setText(error, sentence(problem));
                          if (problem.code === 'FORBIDDEN') { setText(state, ''); return; }
                        }
                      }
                      signal.removeEventListener('abort', stop);
                      document.removeEventListener('visibilitychange', hide);
                      if (signal.aborted) return;
                      setText(state, 'connecting');
                      if (failures) await new Promise((resolve) => { setTimeout(resolve, Math.min(10000, 1000 * 2 ** failures)); });
                    }
                  }
                  follow();
                }

                export default { title: 'Events', show };

                """#),
        EmbeddedAsset(
            name: "icon.svg", type: "image/svg+xml",
            text: #"""
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="5" fill="#2f5bd0"/><path fill="#fff" d="M12 4.5a5 5 0 0 1 5 5v3.4l1.700 2.6H5.300L7 12.900V9.500a5 5 0 0 1 5-5zm-2 12.500h4a2 2 0 0 1-4 0z"/></svg>

                """#),
        EmbeddedAsset(
            name: "index.html", type: "text/html; charset=utf-8",
            text: #"""
                <!doctype html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>Carillon</title>
                <link rel="icon" href="{{assets}}/icon.svg" type="image/svg+xml">
                <link rel="stylesheet" href="{{assets}}/console.css">
                <script src="{{assets}}/theme.js"></script>
                <script type="module" src="{{assets}}/app.js"></script>
                </head>
                <body>
                <a class="skip" href="#main" id="skip">Skip to the content</a>
                <noscript><p class="notice">The console needs JavaScript. The command carillon needs none.</p></noscript>
                <header id="header" hidden>
                <a class="brand" href="#/overview"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 3a6 6 0 0 1 6 6v4l2 3H4l2-3V9a6 6 0 0 1 6-6zm-2.5 15h5a2.5 2.5 0 0 1-5 0z"/></svg>Carillon</a>
                <nav id="nav" aria-label="Pages"></nav>
                <div class="tools">
                <label class="field inline" for="app">App<input id="app" list="apps" autocomplete="off" spellcheck="false"></label>
                <datalist id="apps"></datalist>
                <label class="field inline" for="pace">Refresh<select id="pace"><option value="1000">1 s</option><option value="2000" selected>2 s</option><option value="5000">5 s</option><option value="15000">15 s</option><option value="0">off</option></select></label>
                <label class="field inline" for="theme">Theme<select id="theme"><option value="system">system</option><option value="light">light</option><option value="dark">dark</option></select></label>
                <p class="who"><span id="principal"></span> <button type="button" id="logout" class="quiet">Log out</button></p>
                </div>
                </header>
                <main id="main" tabindex="-1"></main>
                <footer id="footer" hidden><span id="connection">connected</span><span id="zone"></span><button type="button" class="quiet" id="help">Keys: ?</button></footer>
                <div id="live" role="status" class="unseen"></div>
                </body>
                </html>

                """#),
        EmbeddedAsset(
            name: "lookup.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // One box for a token, a device, a group or a topic; what is stored of it, and where it comes from.
                import { el, card, table, tableRow, rows, setText, number, time, field, button, chip, confirm, counted } from './dom.js';
                import { call, sentence, Refused } from './api.js';
                import { device, traceForm } from './trace.js';

                function show(main, { parameters, signal, context }) {
                  const box = el('input', { value: parameters.get('q') ?? '', 'data-search': true, spellcheck: 'false', autocomplete: 'off', placeholder: '5008, a token, user/42 or level5' });
                  const error = el('p', { class: 'error', role: 'alert' });
                  const result = el('div', { class: 'grid' });
                  const note = el('p', { class: 'fine', role: 'status', hidden: true });
                  main.append(el('div', { class: 'head' }, el('h1', {}, 'Look up'), el('span', { class: 'soft' }, context.app || 'choose an app')),
                    el('section', { class: 'card' }, el('form', {
                      class: 'fields', onsubmit(event) {
                        event.preventDefault();
                        history.replaceState(null, '', `#/lookup?q=${encodeURIComponent(box.value.trim())}`);
                        search();
                      },
                    }, field('Device id, token, group or topic', box), el('div', { class: 'buttons' }, el('button', { type: 'submit', class: 'primary' }, 'Look up'))), error, note), result);

                  const app = () => context.app;
                  const mayChange = () => context.may(app(), 'register');
                  const request = (name, body) => call(name, { app: app(), ...body }, { signal });

                  async function change(name, body, text) {
                    setText(error, '');
                    try {
                      const answer = await request(name, body);
                      setText(note, text);
                      note.hidden = false;
                      await search();
                      return answer;
                    } catch (problem) {
                      setText(error, sentence(problem));
                      return null;
                    }
                  }

                  async function search() {
                    const text = box.value.trim();
                    setText(error, '');
                    if (!text) return;
                    if (!app()) return setText(error, 'Choose an app on the left.');
                    try {
                      const target = device(text);
                      if (typeof target === 'object' || /^\d+$/.test(text)) return result.replaceChildren(...await deviceCards(target));
                      const [groups, topics] = await Promise.all([request('groups', { prefix: text, limit: 20 }), request('topics', { prefix: text, limit: 20 })]);
                      const group = groups.groups.find((each) => each.group === text);
                      const topic = topics.topics.find((each) => each.topic === text);
                      const cards = [];
                      if (group) cards.push(...await groupCards(group));
                      if (topic) cards.push(await topicCard(topic));
                      const others = [...groups.groups.map((each) => ['group', each.group, each.devices]), ...topics.topics.map((each) => ['topic', each.topic, each.devices])].filter((each) => each[1] !== text);
                      if (others.length) {
                        const list = table('Names that begin so', ['Kind', 'Name', '#Devices']);
                        for (const [kind, name, count] of others) list.body.append(tableRow([kind, el('a', { href: `#/lookup?q=${encodeURIComponent(name)}` }, name), `#${number(count)}`]));
                        cards.push(card('Names that begin so', list.node));
                      }
                      result.replaceChildren(...cards);
                      if (!cards.length) setText(error, `There is no group and no topic that begins with “${text}”.`);
                    } catch (problem) {
                      if (signal.aborted) return;
                      result.replaceChildren();
                      setText(error, problem.code === 'NOT_FOUND' ? 'No such device is registered in this app.' : sentence(problem));
                    }
                  }

                  async function deviceCards(target) {
                    const [found, members] = await Promise.all([request('lookup', { device: target }), request('memberships', { device: target, limit: 1000 })]);
                    const id = found.device_id;
                    const facts = [['Device', number(id).replace(/,/g, '')], ['Token', el('code', {}, found.token)], ['Kind', `${found.kind}, ${found.environment}`], ['Locale', found.locale ?? '–'], ['Time zone', found.time_zone ?? '–'],
                      ['Registered', time(found.registered_at)], ['Token seen', time(found.seen_at)], ['Attributes', (found.attributes ?? []).map((each) => `${each.key} = ${each.value}`).join(', ') || '–']];
                    const muted = members.muted.includes('device');
                    const buttons = mayChange() ? [
                      button(muted ? 'Unmute' : 'Mute', () => change('update_device', { device: id, muted: !muted }, muted ? 'The device gets pushes again.' : 'The device gets no pushes.')),
                      found.state === 'quarantined' ? button('Restore', () => change('restore', { device: id }, 'The device is in its audiences again.')) : null,
                      button('Remove…', async () => {
                        if (await confirm(`Remove device ${id}?`, 'One device leaves its groups and topics, and gets no push. It comes back only when its app registers it again.', 'Remove 1 device', { danger: true })) {
                          await change('unregister', { device: id, at: 0 }, 'The device is removed.');
                          result.replaceChildren();
                          setText(error, '');
                        }
                      }, 'danger')] : [];
                    const groups = table('Groups', ['Group', 'Mute']);
                    for (const each of members.groups) groups.body.append(tableRow([el('a', { href: `#/lookup?q=${encodeURIComponent(each.group)}` }, each.group), each.muted ? chip('muted', 'held') : '–']));
                    const topics = table('Topics', ['Topic', 'Held by']);
                    for (const each of members.topics) topics.body.append(tableRow([el('a', { href: `#/lookup?q=${encodeURIComponent(each.topic)}` }, each.topic), each.source ? el('span', {}, 'group ', el('a', { href: `#/lookup?q=${encodeURIComponent(each.source)}` }, each.source)) : 'the device itself']));
                    return [card(`Device ${id}`, el('div', { class: 'buttons' }, chip(found.state, found.state === 'active' ? 'done' : 'bad'), muted ? chip('muted', 'held') : null, members.muted.includes('group') ? chip('a group is muted', 'held') : null),
                      el('dl', { class: 'facts' }, facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])), el('div', { class: 'buttons' }, buttons)),
                    card('Groups and topics', members.groups.length ? groups.node : el('p', { class: 'empty' }, 'It is in no group.'), members.topics.length ? topics.node : el('p', { class: 'empty' }, 'It is in no topic.'),
                      members.next ? el('p', { class: 'soft' }, 'There are more topics.') : null),
                    card('Why did this device (not) get a message?', traceForm(context, { app: app(), device: String(id) }))];
                  }

                  function deviceList(name, body, devices) {
                    const list = el('p', { class: 'mono' });
                    const more = button('List devices', load);
                    let cursor = '0';
                    async function load() {
                      const page = await request(name, { ...body, cursor, limit: 100 });
                      for (const id of page.devices) list.append(el('a', { href: `#/lookup?q=${id}` }, String(id)), ' ');
                      cursor = page.next;
                      setText(more, 'More');
                      more.hidden = cursor === '0';
                    }
                    return [el('p', {}, counted(devices, 'device')), list, el('div', { class: 'buttons' }, more)];
                  }

                  async function groupCards(group) {
                    const topics = await request('group_topics', { group: group.group, limit: 1000 });
                    const list = table('Topics of the group', ['Topic']);
                    for (const each of topics.topics) list.body.append(tableRow([el('a', { href: `#/lookup?q=${encodeURIComponent(each)}` }, each)]));
                    const buttons = mayChange() ? [button(group.muted ? 'Unmute' : 'Mute…', async () => {
                      if (group.muted || await confirm(`Mute ${group.group}?`, `${counted(group.devices, 'device')} of the group, and those that join it, get no pushes.`, `Mute ${counted(group.devices, 'device')}`)) {
                        await change('update_group', { group: group.group, muted: !group.muted }, group.muted ? 'The group gets pushes again.' : 'The group gets no pushes.');
                      }
                    })] : [];
                    return [card(`Group ${group.group}`, el('div', { class: 'buttons' }, group.muted ? chip('muted', 'held') : null, buttons), deviceList('group_devices', { group: group.group }, group.devices)),
                      card('Topics of the group', topics.topics.length ? list.node : el('p', { class: 'empty' }, 'The group is subscribed to no topic.'))];
                  }

                  async function topicCard(topic) {
                    return card(`Topic ${topic.topic}`, deviceList('topic_devices', { topic: topic.topic }, topic.devices));
                  }

                  if (box.value) search(); else box.focus();
                }

                export default { title: 'Look up', show };

                """#),
        EmbeddedAsset(
            name: "message.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // One message: its progress, its outcomes, its recipients, and what can be done about it.
                import { el, card, table, tableRow, fill, rows, setText, number, duration, time, field, button, stateChip, share, outcomeKind, confirm, counted } from './dom.js';
                import { api, call, poll, sentence } from './api.js';
                import { chart } from './chart.js';
                import { traceForm } from './trace.js';

                const IMPROVABLE = (outcome) => !['delivered', 'pending', 'unregistered', 'quarantined', 'token-unregistered', 'token-expired', 'left'].includes(outcome);

                function show(main, { parts, signal, context }) {
                  const [app, id] = parts;
                  if (app && context.app !== app) context.app = app;
                  const error = el('p', { class: 'error', role: 'alert' });
                  const done = el('p', { class: 'fine', role: 'status', hidden: true });
                  const state = el('span');
                  const facts = el('dl', { class: 'facts' });
                  const bar = el('progress', { max: '1', 'aria-label': `progress of message ${id}` });
                  const progress = el('p', { class: 'nowrap' }, '–');
                  const curve = chart('Devices that have an outcome', [{ name: 'ended', label: 'ended' }], { gap: Infinity });
                  const outcomes = table('Outcomes', ['Outcome', '#Devices', '#Share', '']);
                  const maySend = context.may(app, 'send');
                  const actions = {
                    pause: button('Pause', () => steer('pause')), resume: button('Resume', () => steer('resume')),
                    start: button('Start now', () => steer('resume')), pace: button('Pace…', changePace),
                    cancel: button('Cancel…', cancel, 'danger'), resend: button('Send again…', resend),
                  };
                  for (const each of Object.values(actions)) each.hidden = true;
                  let status = null;

                  main.append(el('div', { class: 'head' }, el('h1', {}, `Message ${id}`), state, el('span', { class: 'soft' }, app), el('div', { class: 'buttons' }, Object.values(actions))),
                    error, done, el('div', { class: 'two' },
                      el('div', { class: 'grid' }, card('Progress', bar, progress, curve.node), card('Outcomes', outcomes.node)),
                      card('About', facts)),
                    recipients(), card('Why did a device (not) get it?', traceForm(context, { app, message: id })));

                  async function act(name, body, text) {
                    setText(error, '');
                    try {
                      const answer = await call(name, { app, message_id: id, ...body });
                      setText(done, text);
                      done.hidden = false;
                      await load();
                      return answer;
                    } catch (problem) {
                      setText(error, sentence(problem));
                      return null;
                    }
                  }

                  const left = () => status.outcomes.find((each) => each.outcome === 'pending')?.devices ?? 0;
                  const steer = (action) => act('steer', { action }, { pause: 'The message is paused.', resume: 'The message goes on.' }[action]);

                  async function cancel() {
                    const devices = left();
                    if (await confirm(`Cancel message ${id}?`, `${counted(devices, 'device')} of ${number(status.total)} have no outcome yet. They will not get it. This cannot be undone; the message can be sent again to them later.`,
                      `Cancel for ${counted(devices, 'device')}`, { danger: true })) await act('steer', { action: 'cancel' }, `The message is cancelled for ${counted(devices, 'device')}.`);
                  }

                  async function changePace() {
                    const input = el('input', { type: 'number', min: '1', max: '4294967295', value: status.pace ?? '', placeholder: 'no bound' });
                    const dialog = el('dialog', { 'aria-labelledby': 'pace-title' }, el('form', { method: 'dialog' }, el('h2', { id: 'pace-title' }, `Pace of message ${id}`),
                      el('p', {}, `${counted(left(), 'device')} are left.`), field('Deliveries a second at most', input, 'Empty: no bound.'),
                      el('div', { class: 'buttons' }, el('button', { value: 'no', formnovalidate: true, class: 'quiet' }, 'Back'), el('button', { class: 'primary', value: 'yes' }, 'Set the pace'))));
                    dialog.addEventListener('close', async () => {
                      dialog.remove();
                      if (dialog.returnValue !== 'yes') return;
                      await act('steer', { action: 'pace', ...(input.value ? { pace: Number(input.value) } : {}) }, input.value ? `At most ${number(Number(input.value))} deliveries a second.` : 'The pace has no bound.');
                    });
                    document.body.append(dialog);
                    dialog.showModal();
                  }

                  async function resend() {
                    const candidates = status.outcomes.filter((each) => each.outcome !== 'delivered' && each.outcome !== 'pending');
                    const boxes = candidates.map((each) => el('input', { type: 'checkbox', value: String(each.outcome), checked: IMPROVABLE(each.outcome) }));
                    const go = el('button', { class: 'primary', value: 'yes' }, '');
                    const chosen = () => candidates.filter((_, index) => boxes[index].checked);
                    const count = () => chosen().reduce((sum, each) => sum + each.devices, 0);
                    const update = () => { setText(go, `Send again to ${counted(count(), 'device')}`); go.disabled = count() === 0; };
                    const dialog = el('dialog', { 'aria-labelledby': 'resend-title' }, el('form', { method: 'dialog', onchange: update }, el('h2', { id: 'resend-title' }, `Send message ${id} again?`),
                      el('p', {}, 'A new message with the same content, for the devices that ended so:'),
                      candidates.map((each, index) => el('label', { class: 'check' }, boxes[index], `${each.outcome}: ${counted(each.devices, 'device')}`)),
                      el('div', { class: 'buttons' }, el('button', { value: 'no', formnovalidate: true, class: 'quiet' }, 'Back'), go)));
                    dialog.addEventListener('close', async () => {
                      dialog.remove();
                      if (dialog.returnValue !== 'yes') return;
                      const answer = await act('resend', { key: crypto.randomUUID(), outcomes: chosen().map((each) => each.outcome) }, 'The message is sent again.');
                      if (answer) location.hash = `#/message/${encodeURIComponent(app)}/${answer.message_id}`;
                    });
                    update();
                    document.body.append(dialog);
                    dialog.showModal();
                  }

                  function recipients() {
                    const kind = el('select', {}, el('option', { value: 'failed' }, 'not delivered'), el('option', { value: '' }, 'all'));
                    const list = table('Recipients', ['Device', 'Outcome', '']);
                    const note = el('p', { class: 'soft' }, '');
                    const more = button('List recipients', load);
                    let cursor = '0';
                    let found = [];
                    kind.addEventListener('change', () => { cursor = '0'; found = []; rows(list.body, [], () => 0); setText(more, 'List recipients'); more.disabled = false; setText(note, ''); });
                    list.node.hidden = true;
                    async function load() {
                      more.disabled = true;
                      const wanted = found.length + 50;
                      try {
                        // A long message has few failures: some pages are read until there are rows to show.
                        for (let page = 0; page < 20 && found.length < wanted; page += 1) {
                          const answer = await call('message_outcomes', { app, message_id: id, cursor, limit: 1000 }, { signal });
                          found = found.concat(answer.recipients.filter((each) => !kind.value || (each.outcome !== 'delivered' && each.outcome !== 'pending' && each.outcome !== null)));
                          cursor = answer.next;
                          if (cursor === '0') break;
                        }
                      } catch (problem) {
                        return setText(note, sentence(problem));
                      }
                      list.node.hidden = found.length === 0;
                      rows(list.body, found.slice(0, wanted), (each) => `${each.device_id} ${found.indexOf(each)}`, (each) => tableRow([
                        each.device_id ? el('a', { href: `#/lookup?q=${each.device_id}&message=${id}` }, String(each.device_id)) : 'not registered', String(each.outcome ?? 'pending'),
                        each.device_id ? el('a', { href: `#/lookup?q=${each.device_id}&message=${id}` }, 'why') : '']));
                      setText(note, cursor === '0' ? `${counted(found.length, 'recipient')}${kind.value ? ' without delivery' : ''}` : `${number(found.length)} so far`);
                      setText(more, 'More');
                      more.disabled = cursor === '0';
                    }
                    return card('Recipients', el('div', { class: 'fields' }, field('Show', kind)), list.node, note, el('div', { class: 'buttons' }, more));
                  }

                  function fact(name, value) { return value === null || value === undefined || value === '' ? [] : [el('dt', {}, name), el('dd', {}, value)]; }

                  let drawn = '';
                  function draw(answer) {
                    status = answer.status;
                    const ended = status.total - left();
                    if (state.textContent !== status.state) state.replaceChildren(stateChip(status.state));
                    bar.value = status.total ? ended / status.total : 1;
                    const eta = status.remaining_ms ? `, ${duration(status.remaining_ms)} left` : '';
                    setText(progress, `${number(ended)} of ${counted(status.total, 'device')} (${share(ended, status.total)})${status.rate ? `, ${number(status.rate)}/s` : ''}${eta}`);
                    const about = JSON.stringify([status.audience, status.label, status.sender, status.accepted_at, status.finished_at, status.send_at, status.pace, status.received, status.opened]);
                    if (about !== drawn) {
                      drawn = about;
                      facts.replaceChildren(...fact('Label', status.label), ...fact('Sender', status.sender ?? 'not known'), ...fact('Audience', status.audience ? el('code', {}, status.audience) : 'a list of devices'),
                        ...fact('Accepted', time(status.accepted_at)), ...(status.send_at ? fact('Scheduled', time(status.send_at)) : []),
                        ...(status.finished_at ? [...fact('Finished', time(status.finished_at)), ...fact('Took', duration(status.finished_at - (status.send_at ?? status.accepted_at)))] : []),
                        ...fact('Pace', status.pace ? `at most ${number(status.pace)}/s` : 'no bound'), ...(status.received ? fact('Received', counted(status.received, 'receipt')) : []), ...(status.opened ? fact('Opened', counted(status.opened, 'receipt')) : []));
                    }
                    const largest = Math.max(1, ...status.outcomes.map((each) => each.devices));
                    const order = ['pending', 'delivered', 'failed', 'not-sent'];
                    const sorted = [...status.outcomes].sort((one, other) => order.indexOf(outcomeKind(one.outcome)) - order.indexOf(outcomeKind(other.outcome)) || other.devices - one.devices);
                    rows(outcomes.body, sorted, (each) => each.outcome, (each) => tableRow([String(each.outcome), '#', '#', el('div', { class: `bar ${outcomeKind(each.outcome)}` })]), (row, each) => {
                      fill(row, [undefined, number(each.devices), share(each.devices, status.total)]);
                      row.querySelector('.bar').style.width = `${Math.max(1, each.devices / largest * 100)}%`;
                    });
                    const points = [...answer.progress, [status.finished_at || Date.now(), ended]];
                    if (!answer.progress.length) points.unshift([status.send_at ?? status.accepted_at, 0]);
                    curve.update(points.map((each) => each[0]), { ended: points.map((each) => each[1]) });
                    const is = (...states) => maySend && states.includes(status.state);
                    actions.pause.hidden = !is('waiting', 'sending', 'scheduled');
                    actions.resume.hidden = !is('paused');
                    actions.start.hidden = !is('scheduled');
                    actions.pace.hidden = actions.cancel.hidden = !is('waiting', 'sending', 'scheduled', 'paused');
                    actions.resend.hidden = !is('finished') || !status.outcomes.some((each) => !['delivered', 'pending'].includes(each.outcome));
                    context.say(`Message ${id} is ${status.state}: ${progress.textContent}.`);
                  }

                  async function load() { draw(await api('message', { app, message_id: id }, { poll: true, signal })); }
                  poll(signal, async () => {
                    try {
                      await load();
                    } catch (problem) {
                      if (signal.aborted) return;
                      setText(error, sentence(problem));
                      throw problem;
                    }
                  });
                }

                export default { title: 'Message', show };

                """#),
        EmbeddedAsset(
            name: "messages.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // Messages of an app: those that run first, then a list with filters.
                import { el, card, table, tableRow, fill, rows, setText, number, duration, time, field, select, button, stateChip, share } from './dom.js';
                import { call, poll, sentence } from './api.js';

                const STATES = [['', 'any state'], 'waiting', 'sending', 'paused', 'scheduled', 'finished'];

                function show(main, { parameters, signal, context }) {
                  const error = el('p', { class: 'error', role: 'alert' });
                  const state = select(STATES, parameters.get('state') ?? '');
                  const label = el('input', { value: parameters.get('label') ?? '', maxlength: '100', 'data-search': true, spellcheck: 'false' });
                  const sender = el('input', { value: parameters.get('sender') ?? '', maxlength: '255', spellcheck: 'false' });
                  const number_ = el('input', { inputmode: 'numeric', pattern: '[0-9]+', placeholder: 'number', 'aria-label': 'Open the message with this number' });
                  const list = table('Messages', ['Message', 'State', 'Label', 'Sender', 'Accepted', 'Type', 'Progress', '#Devices', '#Delivered', '#Not delivered']);
                  const empty = el('p', { class: 'empty' }, 'No message matches.');
                  const older = button('Older', () => { places.push(next); load(); });
                  const newer = button('Newest', () => { places = ['0']; load(); });
                  const running = table('Running', ['Message', 'Lane', 'Progress', '#Ended', '#Rate', '#Time left', '#In flight']);
                  const runningCard = card('Running', running.node);
                  runningCard.hidden = true;
                  let places = ['0'];
                  let next = '0';

                  main.append(el('div', { class: 'head' }, el('h1', {}, 'Messages'), el('span', { class: 'soft' }, context.app || 'choose an app'),
                    el('div', { class: 'buttons' }, context.may(context.app, 'send') ? el('a', { href: '#/compose' }, 'Compose a message') : null)), error, runningCard,
                  el('section', { class: 'card' }, el('h2', {}, 'All messages'),
                    el('form', { class: 'fields', onsubmit(event) { event.preventDefault(); if (number_.value) location.hash = `#/message/${encodeURIComponent(context.app)}/${number_.value}`; else apply(); }, onchange: apply },
                      field('State', state), field('Label begins with', label), field('Sender', sender), field('Message', number_)),
                    empty, list.node, el('div', { class: 'buttons' }, newer, older)));

                  function apply() {
                    const chosen = new URLSearchParams();
                    for (const [name, node] of [['state', state], ['label', label], ['sender', sender]]) if (node.value) chosen.set(name, node.value);
                    history.replaceState(null, '', `#/messages${chosen.size ? `?${chosen}` : ''}`);
                    places = ['0'];
                    load();
                  }

                  async function load() {
                    if (!context.app) return setText(error, 'Choose an app on the left.');
                    const wanted = { app: context.app, limit: 50, before: places[places.length - 1] };
                    for (const [name, node] of [['state', state], ['label', label], ['sender', sender]]) if (node.value) wanted[name] = node.value;
                    try {
                      const page = await call('messages', wanted, { poll: true, signal });
                      setText(error, '');
                      next = page.next;
                      older.disabled = next === '0';
                      newer.disabled = places.length === 1;
                      draw(page.messages.map((each, index) => ({ ...each, ...page.details?.[index] })));
                    } catch (problem) {
                      if (signal.aborted) return;
                      setText(error, sentence(problem));
                      throw problem;
                    }
                  }

                  const link = (each) => el('a', { href: `#/message/${encodeURIComponent(each.app ?? context.app)}/${each.message_id}` }, String(each.message_id));

                  function draw(found) {
                    empty.hidden = found.length > 0 || next !== '0';
                    setText(empty, 'No message matches.');
                    list.node.hidden = found.length === 0;
                    rows(list.body, found, (each) => each.message_id, (each) => tableRow([link(each), el('span'), each.label || '–', each.sender || '–', time(each.accepted_at), each.push_type,
                      el('progress', { max: '1', 'aria-label': `progress of message ${each.message_id}` }), '#', '#', '#']), (row, each) => {
                      if (row.cells[1].textContent !== each.state) row.cells[1].replaceChildren(stateChip(each.state));
                      row.querySelector('progress').value = each.total ? each.ended / each.total : 1;
                      fill(row, [undefined, undefined, undefined, undefined, undefined, undefined, undefined, number(each.total),
                        each.delivered === undefined ? '–' : `${number(each.delivered)} (${share(each.delivered, each.total)})`, each.failed === undefined ? '–' : number(each.failed)]);
                    });
                  }

                  poll(signal, load);
                  if (context.may('*', 'observe', 'admin')) {
                    poll(signal, async () => {
                      const now = await call('statistics', {}, { poll: true, signal });
                      const found = now.sending.filter((each) => each.app === context.app);
                      runningCard.hidden = found.length === 0;
                      rows(running.body, found, (each) => each.message_id, (each) => tableRow([link(each), each.lane, el('progress', { max: '1', 'aria-label': `progress of message ${each.message_id}` }), '#', '#', '#', '#']), (row, each) => {
                        row.querySelector('progress').value = each.total ? each.ended / each.total : 0;
                        fill(row, [undefined, undefined, undefined, `${number(each.ended)} of ${number(each.total)} (${share(each.ended, each.total)})`, `${number(each.rate)}/s`,
                          each.rate ? duration((each.total - each.ended) / each.rate * 1000) : '–', number(each.in_flight)]);
                      });
                      if (found.length) context.say(`${found.length} messages are sent. Message ${found[0].message_id}: ${share(found[0].ended, found[0].total)}.`);
                    });
                  }
                }

                export default { title: 'Messages', show };

                """#),
        EmbeddedAsset(
            name: "overview.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // What the server does now, and did in the last hour.
                import { el, card, table, tableRow, fill, rows, setText, number, compact, duration, bytes, chip, stateChip, outcomeKind, share } from './dom.js';
                import { api, poll, sentence } from './api.js';
                import { chart } from './chart.js';

                const HOUR = 3600000;

                /** What is wrong now, the worst first. */
                function alarms(now, settings) {
                  const found = [];
                  for (const pool of now.pools) {
                    const name = `${pool.credential}/${pool.environment}`;
                    const failure = (now.failures ?? []).find((each) => now.pools[each.pool] === pool);
                    if (pool.stopped) found.push(['bad', `APNs refuses the credential ${name}`, 'Its messages wait. Correct apps.json, then reload the server.']);
                    if (failure?.unreachable) found.push(['bad', `No connection to APNs: ${name}`, failure.reason]);
                    if (pool.throttle) found.push(['mild', `APNs is busy: ${name}`, `At most ${number(pool.throttle)} deliveries/s for now.`]);
                  }
                  if (now.limit_bytes) {
                    const used = (now.database_bytes - now.free_bytes) / now.limit_bytes;
                    if (used > 0.92) found.push(['bad', 'The database is full', 'Messages and registrations are refused. Raise data.limitMebibytes.']);
                    else if (used > 0.75) found.push(['mild', 'The database fills', `${Math.round(used * 100)} % of data.limitMebibytes are used; at 85 % messages are refused.`]);
                  }
                  if (now.reader_age > 10000) found.push(['mild', 'A read of the database is old', `It keeps pages from reuse since ${number(now.reader_age)} commits.`]);
                  for (const each of settings?.credentials ?? []) {
                    const days = each.not_after ? (each.not_after - now.at) / 86400000 : Infinity;
                    if (days < 14) found.push([days < 0 ? 'bad' : 'mild', `The certificate ${each.credential} ${days < 0 ? 'has expired' : `expires in ${Math.floor(days)} days`}`, 'Renew it, reload.']);
                  }
                  return found.sort((left, right) => (left[0] === 'bad' ? 0 : 1) - (right[0] === 'bad' ? 0 : 1));
                }

                function tile(label) {
                  const value = el('b', {}, '–');
                  return { node: el('div', { class: 'tile' }, value, el('span', {}, label)), set: (text) => setText(value, text) };
                }

                function show(main, { signal, context }) {
                  const error = el('p', { class: 'error', role: 'alert' });
                  const list = el('ul', { class: 'alarms', 'aria-label': 'Alarms' });
                  const fine = el('p', { class: 'fine' }, '✓ Nothing is wrong that the server knows of.');
                  const tiles = {
                    rate: tile('deliveries/s'), failed: tile('failures/s'), waiting: tile('waiting'), flight: tile('in flight to APNs'),
                    commits: tile('commits/s'), p99: tile('commit, p99'), clients: tile('clients'), database: tile('database'),
                  };
                  const deliveries = chart('Deliveries a second, by outcome', [
                    { name: 'delivered', label: 'delivered' }, { name: 'failed', label: 'failed' }, { name: 'not_sent', label: 'not sent' }], { stacked: true, unit: '/s' });
                  const lanes = chart('Deliveries that wait, and in flight', [
                    { name: 'in_flight', label: 'in flight' }, { name: 'bulk_waiting', label: 'bulk, waiting' }, { name: 'interactive_waiting', label: 'interactive, waiting' }]);
                  const commits = chart('Time of a commit', [{ name: 'commit_p50', label: 'p50' }, { name: 'commit_p99', label: 'p99' }], { format: (value) => duration(value / 1000) });
                  const running = table('Messages that are sent', ['Message', 'App', 'Lane', 'Progress', '#Ended', '#Rate', '#Time left']);
                  const pools = table('Connections to APNs', ['Credential', 'State', '#Open', '#Opening', '#Draining', '#In flight', '#Streams', '#Throttle', '#Attempts', 'Answers']);
                  const laneTable = table('Lanes', ['Lane', '#Messages', '#Waiting', '#Delayed', '#In flight']);
                  const outcomes = table('Outcomes since the start', ['Outcome', '#Devices', '#Share']);
                  const requests = table('Requests since the start', ['Request', 'Result', '#Count', '#Mean time']);
                  const about = el('p', { class: 'soft' });
                  const idle = el('p', { class: 'empty' }, 'No message is being sent.');
                  main.append(el('div', { class: 'head' }, el('h1', {}, 'Overview'), about), error, list, fine,
                    el('div', { class: 'tiles' }, Object.values(tiles).map((each) => each.node)),
                    el('section', { class: 'card' }, deliveries.node), card('Messages that are sent', idle, running.node),
                    el('div', { class: 'grid' }, el('section', { class: 'card' }, lanes.node), el('section', { class: 'card' }, commits.node)),
                    card('Connections to APNs', pools.node),
                    el('div', { class: 'grid' }, card('Lanes', laneTable.node), card('Outcomes since the start', outcomes.node), card('Requests since the start', requests.node)));

                  let history = { at: [] };
                  let last = 0;
                  let before = null;
                  let settings = null;

                  function merge(next) {
                    for (const [name, values] of Object.entries(next)) {
                      if (Array.isArray(values)) history[name] = [...(history[name] ?? []), ...values].slice(-720);
                    }
                    last = next.last;
                  }

                  function draw(now) {
                    const found = alarms(now, settings);
                    fine.hidden = found.length > 0;
                    rows(list, found, (each) => each[1], ([kind, title, text]) => el('li', { class: `alarm ${kind}` }, el('strong', {}, title), ' ', el('span', {}, text)), (node, each) => setText(node.lastChild, each[2]));
                    if (found.length) context.say(`${found.length} alarms. ${found[0][1]}.`);
                    const span = before ? (now.at - before.at) / 1000 : 0;
                    const total = (statistics, kind) => statistics.outcomes.filter((each) => outcomeKind(each.outcome) === kind).reduce((sum, each) => sum + each.devices, 0);
                    const rate = (value) => (span > 0 ? Math.max(0, value(now) - value(before)) / span : 0);
                    tiles.rate.set(compact(rate((each) => total(each, 'delivered'))));
                    tiles.failed.set(compact(rate((each) => total(each, 'failed'))));
                    tiles.commits.set(compact(rate((each) => each.commits)));
                    tiles.waiting.set(compact(now.lanes.reduce((sum, lane) => sum + lane.waiting, 0)));
                    tiles.flight.set(compact(now.lanes.reduce((sum, lane) => sum + lane.in_flight, 0)));
                    const sorted = [...now.latest_commits].sort((left, right) => left - right);
                    tiles.p99.set(sorted.length ? duration(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] / 1000) : '–');
                    tiles.clients.set(number(now.clients));
                    tiles.database.set(now.database_bytes ? bytes(now.database_bytes - now.free_bytes) : '–');
                    if (!before || span >= 0.9) before = now;
                    setText(about, `${now.software}, up for ${duration(now.at - now.started_at)}, ${number(now.kept ?? 0)} messages kept`);
                    idle.hidden = now.sending.length > 0;
                    running.node.hidden = now.sending.length === 0;
                    rows(running.body, now.sending, (each) => each.message_id, (each) => tableRow([
                      el('a', { href: `#/message/${encodeURIComponent(each.app)}/${each.message_id}` }, String(each.message_id)), each.app, each.lane,
                      el('progress', { max: '1', 'aria-label': `progress of message ${each.message_id}` }), '#', '#', '#']), (row, each) => {
                      row.querySelector('progress').value = each.total ? each.ended / each.total : 0;
                      fill(row, [undefined, undefined, undefined, undefined, `#${number(each.ended)} of ${number(each.total)}`, `#${number(each.rate)}/s`,
                        `#${each.rate ? duration((each.total - each.ended) / each.rate * 1000) : '–'}`]);
                    });
                    rows(pools.body, now.pools.map((pool, index) => ({ ...pool, index })), (each) => `${each.credential}/${each.environment}`,
                      (each) => tableRow([`${each.credential} / ${each.environment}`, el('span'), '#', '#', '#', '#', '#', '#', '#', '']), (row, each) => {
                        const failure = (now.failures ?? []).find((one) => one.pool === each.index);
                        const state = each.stopped ? ['refused', 'bad'] : failure?.unreachable ? ['unreachable', 'bad'] : each.open ? ['connected', 'done'] : ['idle', ''];
                        if (row.cells[1].textContent !== state[0]) row.cells[1].replaceChildren(chip(...state));
                        const answers = now.answers.filter((one) => one.pool === each.index).map((one) => `${one.status || 'other'}${one.reason ? ` ${one.reason}` : ''} ${compact(one.count)}`);
                        fill(row, [undefined, undefined, number(each.open), number(each.opening), number(each.draining), number(each.in_flight), number(each.streams),
                          each.throttle ? `${number(each.throttle)}/s` : '–', number(each.attempts), answers.join(', ') || '–']);
                      });
                    rows(laneTable.body, now.lanes, (each) => each.lane, (each) => tableRow([each.lane, '#', '#', '#', '#']), (row, each) =>
                      fill(row, [undefined, number(each.messages), number(each.waiting), number(each.delayed), number(each.in_flight)]));
                    const ended = now.outcomes.reduce((sum, each) => sum + each.devices, 0);
                    rows(outcomes.body, now.outcomes, (each) => each.outcome, (each) => tableRow([String(each.outcome), '#', '#']), (row, each) =>
                      fill(row, [undefined, number(each.devices), share(each.devices, ended)]));
                    rows(requests.body, now.requests.slice(0, 12), (each) => `${each.opcode} ${each.code}`, (each) => tableRow([String(each.opcode), each.code ?? 'ok', '#', '#']), (row, each) =>
                      fill(row, [undefined, undefined, number(each.count), duration(each.micros / each.count / 1000)]));
                    // A young server has no hour yet: its minutes are shown as wide as the figures allow.
                    const range = { from: Math.max(now.at - HOUR, Math.min(history.at[0] ?? now.at, now.at - 5 * 60000)), to: now.at };
                    for (const each of [deliveries, lanes, commits]) each.update(history.at, history, range);
                  }

                  api('settings').then((found) => { settings = found; }).catch(() => {});
                  poll(signal, async () => {
                    try {
                      const answer = await api('overview', { after: last }, { poll: true, signal });
                      setText(error, '');
                      if (answer.history.last < last) history = { at: [] };
                      merge(answer.history);
                      draw(answer.statistics);
                    } catch (problem) {
                      if (signal.aborted) return;
                      setText(error, problem.code === 'FORBIDDEN' ? 'The overview needs the role observe or admin for all apps (*). Messages and Look up are there for your apps.' : sentence(problem));
                      throw problem;
                    }
                  });
                }

                export default { title: 'Overview', show };

                """#),
        EmbeddedAsset(
            name: "settings.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The configuration in force. It is changed in files, not here.
                import { el, card, table, tableRow, setText, field } from './dom.js';
                import { api, sentence } from './api.js';

                function show(main, { signal }) {
                  const error = el('p', { class: 'error', role: 'alert' });
                  const filter = el('input', { 'data-search': true, spellcheck: 'false', placeholder: 'limits, retention, …' });
                  const list = table('Settings', ['Setting', 'Value', 'Reloaded', 'Purpose']);
                  const principals = table('Principals', ['Principal', 'Grants', 'Requests/s']);
                  const apps = table('Apps', ['App', 'Production', 'Sandbox']);
                  main.append(el('div', { class: 'head' }, el('h1', {}, 'Settings'), el('span', { class: 'soft' }, 'read only: change the files, then reload the server')), error,
                    el('div', { class: 'grid' }, card('Principals', principals.node), card('Apps', apps.node)),
                    card('Settings in force', el('div', { class: 'fields' }, field('Filter', filter)), list.node));
                  filter.addEventListener('input', () => {
                    for (const row of list.body.rows) row.hidden = !row.textContent.toLowerCase().includes(filter.value.trim().toLowerCase());
                  });
                  api('settings', {}, { signal }).then((found) => {
                    list.body.append(...found.settings.map((each) => tableRow([el('code', {}, each.name), each.is_default ? el('code', {}, each.value || '–') : el('strong', {}, el('code', {}, each.value || '–')), each.is_reloaded ? 'yes' : 'restart', el('small', {}, each.purpose)])));
                    principals.body.append(...found.principals.map((each) => tableRow([each.principal, each.grants.map((grant) => `${grant.app}: ${grant.roles.join(', ')}`).join('; '), each.requests_per_second ? String(each.requests_per_second) : 'no limit'])));
                    apps.body.append(...found.apps.map((each) => tableRow([each.app, each.production ?? '–', each.sandbox ?? '–'])));
                  }).catch((problem) => { if (!signal.aborted) setText(error, problem.code === 'FORBIDDEN' ? 'The settings need the role observe or admin for all apps (*).' : sentence(problem)); });
                }

                export default { title: 'Settings', show };

                """#),
        EmbeddedAsset(
            name: "theme.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // Sets the theme before the first paint.
                (() => {
                  const stored = localStorage.getItem('carillon-theme');
                  if (stored === 'light' || stored === 'dark') document.documentElement.dataset.theme = stored;
                })();

                """#),
        EmbeddedAsset(
            name: "trace.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // Why one device did or did not get one message: TRACE in words.
                import { el, field, button, setText, time, timeText, table, tableRow, counted } from './dom.js';
                import { call, sentence } from './api.js';

                export function device(text) {
                  const clean = text.trim();
                  // A token of FCM is a text: an installation id, a colon, and much more than a name has.
                  if (/^[\w-]{22}:[\w:.%~-]{80,232}$/.test(clean)) return { kind: 'fcm', token: clean };
                  return /^[0-9a-f]{16,510}$/i.test(clean) && !/^\d{1,16}$/.test(clean) ? { token: clean.toLowerCase() } : clean;
                }

                /** The answer as a sentence. */
                function verdict(trace) {
                  if (trace.addressing === 'no recipient') return 'It is not a recipient: nothing puts it into the audience.';
                  if (trace.addressing === 'would be no recipient') return 'Its part of the audience is not fixed yet. Now it would not be a recipient.';
                  const attempts = trace.attempts ?? [];
                  const last = attempts[attempts.length - 1];
                  if (trace.outcome === 'delivered') return `Delivered: APNs has accepted it${last ? ` at ${timeText(last.at)}` : ''}. Whether the phone showed it, APNs does not say.`;
                  if (trace.outcome) {
                    const why = {
                      muted: 'The device or a group of it is muted.', quarantined: 'APNs had declared its token dead before.', 'no-language': 'No body fits its language.',
                      'over-budget': 'Its silent pushes of this hour are used up.', expired: 'The time limit of the message has passed.', cancelled: 'The message was cancelled before.',
                      left: 'It has left the audience before the delivery.', unregistered: 'It is not registered.', 'wrong-kind': 'The push type does not fit the kind of its token.',
                      'no-credential': 'There is no usable credential for its app and environment.', 'gave-up': 'The attempts had no answer that ends it.',
                    }[trace.outcome] ?? `APNs has refused it${last?.reason ? `: ${last.reason}` : ''}.`;
                    return `Not delivered: ${trace.outcome}. ${why}`;
                  }
                  if (trace.addressing === 'would be a recipient') return 'Its part of the audience is not fixed yet. Now it would be a recipient.';
                  return trace.next_attempt_at ? `It waits. The next attempt may begin at ${timeText(trace.next_attempt_at)}.` : 'It waits.';
                }

                function source(each) {
                  if (each.kind === 'device') return 'the message names the device';
                  if (each.kind === 'all') return 'every device of the app';
                  if (each.kind === 'term') return each.name;
                  return `${each.kind} ${each.name}${each.through ? ` through ${each.through}` : ''}`;
                }

                /** A form for a message and a device; `given` has those that are known. */
                export function traceForm(context, given) {
                  const message = el('input', { inputmode: 'numeric', required: true, value: given.message ?? '' });
                  const target = el('input', { required: true, value: given.device ?? '', spellcheck: 'false', placeholder: 'id or token' });
                  const result = el('div', { role: 'status' });
                  const form = el('form', {
                    class: 'fields', async onsubmit(event) {
                      event.preventDefault();
                      try {
                        const trace = await call('trace', { app: given.app ?? context.app, message_id: message.value.trim(), device: device(target.value) });
                        const attempts = table('Attempts', ['Time', 'Status', 'Reason', '#Connection']);
                        for (const each of trace.attempts ?? []) attempts.body.append(tableRow([time(each.at), String(each.status || 'no answer'), each.reason || '–', `#${each.connection}`]));
                        const facts = [];
                        if (trace.sources?.length) facts.push(['In the audience by', trace.sources.map(source).join('; ')]);
                        if (trace.muted_groups?.length) facts.push(['Muted groups now', trace.muted_groups.join(', ')]);
                        if (trace.flags.includes('muted')) facts.push(['Mute now', 'the device itself']);
                        facts.push(['Language of its body', trace.flags.includes('has a body') ? trace.language ?? 'the default' : 'none fits']);
                        if (trace.silent_budget_left !== undefined) facts.push(['Silent pushes left', counted(trace.silent_budget_left, 'push')]);
                        result.replaceChildren(el('p', { class: 'notice' }, el('strong', {}, verdict(trace))),
                          el('dl', { class: 'facts' }, facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])), trace.attempts?.length ? attempts.node : '');
                      } catch (problem) {
                        result.replaceChildren(el('p', { class: 'error' }, sentence(problem)));
                      }
                    },
                  }, given.message ? null : field('Message', message), given.device ? null : field('Device', target), el('div', { class: 'buttons' }, el('button', { type: 'submit' }, 'Explain')));
                  return el('div', { class: 'fields' }, el('div', { class: 'wide' }, form), el('div', { class: 'wide' }, result));
                }

                """#),
    ]
}
