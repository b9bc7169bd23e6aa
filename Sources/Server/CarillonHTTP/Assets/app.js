// The frame of the console: log-in, pages by the fragment of the address, keys, theme.
import { el, field, setText, updateRows, ask, buttonRow, checkbox, errorLine, factList, fieldGroup } from './dom.js';
import { api, watch, refresh, sentence } from './api.js';
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
/** The pages of the navigation: the name, the title, and the key after g. */
const NAVIGATION = [['overview', 'Overview', 'o'], ['messages', 'Messages', 'm'], ['lookup', 'Look up', 'l'],
  ['audience', 'Audience', 'a'], ['compose', 'Compose', 'c'], ['events', 'Events', 'e'],
  ['credentials', 'Credentials', 'k'], ['settings', 'Settings', 's']];

const byId = (id) => document.getElementById(id);
const main = byId('main');
let session = null;
/** Aborts the requests and polls of the page that is shown. */
let pageController = null;
let announcedAt = 0;

/** What pages know of the user and of the choices in the header. */
export const context = {
  get app() { return byId('app').value.trim(); },
  set app(value) { byId('app').value = value; localStorage.setItem('carillon-app', value); },
  apps: [],
  /** True if the user has one of the roles for the app; `*` asks for every app. */
  may(app, ...roles) {
    const grants = (session?.grants ?? []).filter((grant) => grant.app === '*' || grant.app === app);
    return grants.some((grant) => grant.roles.some((role) => roles.includes(role)));
  },
  /** Says a sentence to screen readers, at most every 15 seconds. */
  say(text, now = false) {
    if (!now && Date.now() - announcedAt < 15000) return;
    announcedAt = Date.now();
    setText(byId('live'), text);
  },
};

// Log-in

/** What is wrong with a log-in, in words. */
function loginError(problem) {
  if (problem.status === 429) return 'Too many wrong keys from this address. Wait some seconds.';
  return problem.status === 401 ? 'The server does not know this key.' : sentence(problem);
}

/** The form for the API key; `note` says why it is shown. */
function loginForm(note) {
  const key = el('input', {
    type: 'password', autocomplete: 'current-password', id: 'key', required: true, maxlength: '256',
    spellcheck: 'false',
  });
  const error = errorLine(note);
  const go = el('button', { class: 'primary', type: 'submit' }, 'Log in');
  async function onsubmit(event) {
    event.preventDefault();
    go.disabled = true;
    setText(error, '');
    try {
      const identity = await api('login', { key: key.value });
      key.value = '';
      begin(identity);
    } catch (problem) {
      setText(error, loginError(problem));
      go.disabled = false;
      key.select();
    }
  }
  const purpose = 'The key of a principal with the role observe, or more. It is not stored in the browser.';
  const node = el('form', { onsubmit }, fieldGroup(field('API key', key, purpose), error,
    el('div', { class: 'buttons wide' }, go)));
  return { node, key };
}

function showLogin(note = '') {
  pageController?.abort();
  session = null;
  document.body.classList.add('out');
  byId('header').hidden = byId('footer').hidden = true;
  document.title = 'Log in – Carillon';
  const form = loginForm(note);
  main.replaceChildren(el('section', { class: 'card' }, el('h1', {}, 'Carillon'), form.node));
  form.key.focus();
}

/** The apps that the user may choose: from the grants, and from the settings if the user may see them. */
async function knownApps({ grants }) {
  const granted = grants.map((grant) => grant.app);
  const named = granted.filter((app) => app !== '*');
  if (!context.may('*', 'observe', 'admin') && !granted.includes('*')) return [...new Set(named)];
  try {
    const found = await api('settings');
    return [...new Set([...named, ...found.apps.map((each) => each.app)])];
  } catch {
    // A user without the right to read the settings types the app.
    return [...new Set(named)];
  }
}

async function begin(identity) {
  session = identity;
  document.body.classList.remove('out');
  byId('header').hidden = byId('footer').hidden = false;
  setText(byId('principal'), identity.principal);
  context.apps = await knownApps(identity);
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

/** Draws the navigation; `name` is the page that is shown. */
function drawNavigation(name) {
  const create = ([id, text, key]) => el('a', { href: `#/${id}`, 'data-page': id }, text,
    el('kbd', { 'aria-hidden': 'true' }, `g ${key}`));
  updateRows(byId('nav'), NAVIGATION, (each) => each[0], create, (node, [id]) => {
    if (id === name || (id === 'messages' && name === 'message')) node.setAttribute('aria-current', 'page');
    else node.removeAttribute('aria-current');
  });
}

function route() {
  if (!session) return;
  const [path, query] = (location.hash.replace(/^#\/?/, '') || 'overview').split('?');
  const [name, ...parts] = path.split('/').map(decodeURIComponent);
  const page = PAGES[name] ?? overview;
  pageController?.abort();
  pageController = new AbortController();
  const parameters = new URLSearchParams(query);
  if (parameters.get('app')) context.app = parameters.get('app');
  drawNavigation(name);
  main.replaceChildren();
  document.title = `${page.title} – Carillon`;
  page.show(main, { parts, parameters, signal: pageController.signal, context });
  context.say(page.title, true);
}

window.addEventListener('hashchange', () => {
  route();
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
});
byId('skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
byId('app').addEventListener('change', (event) => {
  context.app = event.target.value.trim();
  if (location.hash.startsWith('#/message/')) location.hash = '#/messages';
  else route();
});
byId('logout').addEventListener('click', async () => {
  await api('logout').catch(() => {});
  showLogin();
});

byId('refresh').value = String(refresh.get());
byId('refresh').addEventListener('change', (event) => refresh.set(Number(event.target.value)));
byId('theme').value = localStorage.getItem('carillon-theme') ?? 'system';
byId('theme').addEventListener('change', (event) => {
  localStorage.setItem('carillon-theme', event.target.value);
  if (event.target.value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = event.target.value;
});
setText(byId('zone'), `times in ${Intl.DateTimeFormat().resolvedOptions().timeZone}`);

// Keys

/** True for a moment after g: then the next key goes to a page. */
let awaitsPageKey = false;
let pageKeyTimer = null;
const areKeysOn = () => localStorage.getItem('carillon-keys') !== 'off';

function showKeys() {
  const key = (text) => el('kbd', {}, text);
  const list = [...NAVIGATION.map(([, text, name]) => [key(`g ${name}`), text]),
    [key('/'), 'the search field of the page'], [key('?'), 'this list']];
  const onchange = (event) => localStorage.setItem('carillon-keys', event.target.checked ? 'on' : 'off');
  ask('keys-title', el('form', { method: 'dialog' }, el('h2', { id: 'keys-title' }, 'Keys'), factList(list),
    checkbox('Single keys are on', el('input', { type: 'checkbox', checked: areKeysOn(), onchange })),
    buttonRow(el('button', {}, 'Close'))));
}
byId('help').addEventListener('click', showKeys);

/** True if a key belongs to a field, a dialog or the browser, or if single keys are off. */
function isKeyOfOthers(event) {
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  const isCommand = event.ctrlKey || event.metaKey || event.altKey;
  return !session || isTyping || isCommand || !areKeysOn() || document.querySelector('dialog[open]') !== null;
}

/** Goes to the page of the key after g. */
function goToPage(event) {
  awaitsPageKey = false;
  const found = NAVIGATION.find((each) => each[2] === event.key);
  if (!found) return;
  event.preventDefault();
  location.hash = `#/${found[0]}`;
}

function focusSearch(event) {
  const search = main.querySelector('[data-search]');
  if (!search) return;
  event.preventDefault();
  search.focus();
}

document.addEventListener('keydown', (event) => {
  if (isKeyOfOthers(event)) return;
  if (awaitsPageKey) return goToPage(event);
  if (event.key === 'g') {
    awaitsPageKey = true;
    // The timer of an earlier g must not end this one.
    clearTimeout(pageKeyTimer);
    pageKeyTimer = setTimeout(() => { awaitsPageKey = false; }, 1500);
  }
  if (event.key === '?') showKeys();
  if (event.key === '/') focusSearch(event);
});

try {
  begin(await api('session'));
} catch {
  showLogin();
}
