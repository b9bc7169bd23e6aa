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

/** Sets the text of a node only if it differs: a node that stays keeps its place and its reader. */
export function setText(node, text) {
  const wanted = String(text);
  if (node.textContent !== wanted) node.textContent = wanted;
}

/** Gives `parent` one child for each of `items`, by key. Nodes that stay are not replaced, so focus stays too. */
export function updateRows(parent, items, key, create, update) {
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
  const heads = columns.map((name) => {
    const kind = name.startsWith('#') ? 'number' : null;
    return el('th', { scope: 'col', class: kind }, name.replace('#', ''));
  });
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

/** Sets the texts of the last cells of a row. */
export function fillLastCells(row, texts) {
  const first = row.cells.length - texts.length;
  texts.forEach((text, index) => setText(row.cells[first + index], text));
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

// Parts of pages

/** The head of a page: its title, and the nodes beside it. */
export const pageHead = (title, ...others) => el('div', { class: 'head' }, el('h1', {}, title), others);
/** The chosen app, for the head of a page. */
export const chosenApp = (context) => el('span', { class: 'soft' }, context.app || 'choose an app');
/** A line for errors, empty at first. */
export const errorLine = (text) => el('p', { class: 'error', role: 'alert' }, text);
/** A line that says what was done, hidden at first. */
export const doneLine = () => el('p', { class: 'fine', role: 'status', hidden: true });
export const softLine = (...children) => el('p', { class: 'soft' }, children);
export const emptyLine = (text) => el('p', { class: 'empty' }, text);
export const fieldGroup = (...children) => el('div', { class: 'fields' }, children);
export const checkbox = (label, input) => el('label', { class: 'check' }, input, label);
export const wide = (...children) => el('div', { class: 'wide' }, children);
export const buttonRow = (...children) => el('div', { class: 'buttons' }, children);
/** Nodes one below the other. */
export const column = (...children) => el('div', { class: 'column' }, children);
/** Cards side by side, as many as fit. */
export const cardGrid = (...children) => el('div', { class: 'grid' }, children);
/** The terms and descriptions of pairs. */
export const descriptions = (pairs) => pairs.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]);
export const factList = (pairs) => el('dl', { class: 'facts' }, descriptions(pairs));
export const messageAddress = (app, id) => `#/message/${encodeURIComponent(app)}/${id}`;
export const messageLink = (app, id) => el('a', { href: messageAddress(app, id) }, String(id));
export const lookupLink = (name) => el('a', { href: `#/lookup?q=${encodeURIComponent(name)}` }, name);
export const progressBar = (id) => el('progress', { max: '1', 'aria-label': `progress of message ${id}` });

// Figures

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric', month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
  timeZoneName: 'short',
});

export const number = (value) => whole.format(value ?? 0);
export const compact = (value) => short.format(value ?? 0);
/** A part of a total, in percent. */
export const share = (part, total) => {
  if (!total) return '–';
  // A small part that is not zero must not read as 0%.
  return part > 0 && part / total < 0.001 ? '<0.1%' : percent.format(part / total);
};
/** A number with its noun: 1 device, 2 devices. */
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

/** A state as a word with a color and a shape. */
export function chip(word, kind = '') {
  return el('span', { class: `chip ${kind}` }, word);
}

/** Shows a chip in a node, unless the node has its word already. */
export function showChip(node, word, kind) {
  if (node.textContent !== word) node.replaceChildren(chip(word, kind));
}

/** The kinds of chip of the states of a message. */
const STATES = { sending: 'busy', finished: 'done', paused: 'held', scheduled: 'held', waiting: 'busy' };
/** Shows the state of a message in a node, unless the node has it already. */
export function showState(node, state) { showChip(node, state, STATES[state] ?? ''); }

const FAILED = new Set(['gave-up', 'no-credential', 'token-unregistered', 'token-expired', 'bad-token',
  'token-not-for-topic', 'payload-too-large', 'topic-disallowed', 'bad-topic', 'bad-request', 'forbidden',
  'no-channel', 'refused']);
/** What an outcome means: delivered, failed, pending or not sent. */
export function outcomeKind(outcome) {
  if (outcome === 'delivered') return 'delivered';
  if (!outcome || outcome === 'pending') return 'pending';
  return FAILED.has(outcome) || typeof outcome === 'number' ? 'failed' : 'not-sent';
}

// Dialogs

/** Shows a dialog with a form; `titleID` is the id of its title. Resolves with true if the answer is yes. */
export function ask(titleID, form) {
  return new Promise((resolve) => {
    const onclose = () => { resolve(dialog.returnValue === 'yes'); dialog.remove(); };
    const dialog = el('dialog', { 'aria-labelledby': titleID, onclose }, form);
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** The button that closes a dialog without an answer. */
export const backButton = () => el('button', { value: 'no', formnovalidate: true, class: 'quiet' }, 'Back');

/** Asks with a dialog; true if the answer is yes. With `typed`, the number must be typed. */
export function confirm(title, text, yes, { typed, danger } = {}) {
  const input = typed === undefined ? null : el('input', { inputmode: 'numeric', autocomplete: 'off' });
  const go = el('button', { class: danger ? 'danger' : 'primary', value: 'yes', disabled: !!input }, yes);
  const isTyped = () => input.value.replace(/[\s,.]/g, '') === String(typed);
  if (input) input.addEventListener('input', () => { go.disabled = !isTyped(); });
  return ask('question', el('form', { method: 'dialog' }, el('h2', { id: 'question' }, title), el('p', {}, text),
    input ? field(`Type ${number(typed)} to confirm`, input) : null, buttonRow(backButton(), go)));
}
