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
