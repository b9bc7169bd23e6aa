// The events of the server, as they happen.
import {
  el, table, time, setText, field, select, counted, button, pageHead, errorLine, buttonRow, fieldGroup, messageAddress,
} from './dom.js';
import { readEvents, sentence } from './api.js';

const KINDS = ['message-finished', 'delivery-failed', 'device-quarantined', 'token-replaced', 'device-moved',
  'message-updated', 'connection-up', 'connection-down', 'credential-refused', 'bad-tokens-began', 'bad-tokens-ended',
  'pool-unreachable', 'pool-reachable'];
/** The maximum of events that are shown. */
const MAXIMUM_SHOWN_EVENTS = 500;
const OLDEST = '18446744073709551614';

/** The subject of an event: texts and links. */
function about(event, context) {
  const parts = [];
  const app = event.app ?? context.app;
  const lookup = `#/lookup?app=${encodeURIComponent(app)}&q=${event.device_id}`;
  if (event.message_id) {
    parts.push(el('a', { href: messageAddress(app, event.message_id) }, `message ${event.message_id}`), ' ');
  }
  if (event.device_id) parts.push(el('a', { href: lookup }, `device ${event.device_id}`), ' ');
  if (event.outcome) parts.push(`${event.outcome} `);
  if (event.count) parts.push(`${counted(event.count, 'device')} `);
  if (event.traceparent) {
    parts.push(el('small', {}, 'trace ', el('code', {}, event.traceparent.split('-')[1])));
  }
  if (event.kind === 'gap') {
    parts.push(`events ${event.missed_from} to ${event.missed_to - 1} were removed before they could be shown`);
  }
  return parts;
}

function eventRow(event, context) {
  const cells = [time(event.at), String(event.kind), event.app ?? '–', about(event, context), event.text ?? ''];
  return el('tr', { class: event.kind === 'gap' ? 'gap' : null },
    el('td', { class: 'number' }, String(event.sequence)), cells.map((each) => el('td', {}, each)));
}

/** The list of the events, the newest first; `text` has the words that a row must have to be shown. */
function eventList(context, text) {
  const list = table('Events', ['#Number', 'Time', 'Kind', 'App', 'About', 'Text']);
  list.node.classList.add('log');
  let shown = [];
  const wanted = () => text.value.trim().toLowerCase();
  const matches = (row) => row.textContent.toLowerCase().includes(wanted());
  text.addEventListener('input', () => { for (const row of shown) row.hidden = !matches(row); });
  return {
    node: list.node,
    add(event) {
      const row = eventRow(event, context);
      row.hidden = !matches(row);
      list.body.prepend(row);
      shown.unshift(row);
      while (shown.length > MAXIMUM_SHOWN_EVENTS) shown.pop().remove();
    },
    clear() {
      shown = [];
      list.body.replaceChildren();
    },
  };
}

/** Resolves when the page is shown. */
async function untilShown() {
  if (!document.hidden) return;
  await new Promise((resolve) => { document.addEventListener('visibilitychange', resolve, { once: true }); });
}

/** Calls `body` with a controller that aborts with the signal, and when the page is hidden. */
async function whileShown(signal, body) {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const hide = () => { if (document.hidden) controller.abort(); };
  signal.addEventListener('abort', stop);
  document.addEventListener('visibilitychange', hide);
  try {
    await body(controller);
  } finally {
    signal.removeEventListener('abort', stop);
    document.removeEventListener('visibilitychange', hide);
  }
}

/**
 * Follows the events until the signal aborts, from the event after the last one; it begins again after a loss.
 * `wanted()` is the request, `add` gets each event, and `error` and `state` are lines. Returns a function that begins
 * again.
 */
function followEvents(signal, { wanted, add, error, state }) {
  let attempt = null;
  let failures = 0;
  let isForbidden = false;
  function opened() {
    failures = 0;
    setText(error, '');
    setText(state, 'live');
  }
  async function read(controller) {
    attempt = controller;
    try {
      await readEvents(wanted(), controller.signal, opened, add);
    } catch (problem) {
      if (problem.name === 'AbortError' || signal.aborted) return;
      failures += 1;
      setText(error, sentence(problem));
      isForbidden = problem.code === 'FORBIDDEN';
    }
  }
  async function follow() {
    while (!signal.aborted) {
      await untilShown();
      await whileShown(signal, read);
      if (isForbidden) return setText(state, '');
      if (signal.aborted) return;
      setText(state, 'connecting');
      const pause = Math.min(10000, 1000 * 2 ** failures);
      if (failures) await new Promise((resolve) => { setTimeout(resolve, pause); });
    }
  }
  follow();
  return () => attempt?.abort();
}

function show(main, { parameters, signal, context }) {
  const kind = select([['', 'every kind'], ...KINDS], parameters.get('kind') ?? '');
  const text = el('input', { 'data-search': true, placeholder: 'message, device or word', spellcheck: 'false' });
  const error = errorLine();
  const state = el('span', { class: 'soft', role: 'status' }, 'connecting');
  const list = eventList(context, text);
  let last = null;
  main.append(pageHead('Events', state, buttonRow(button('Clear', list.clear))),
    el('section', { class: 'card' }, fieldGroup(field('Kind', kind), field('Shows only', text)), error, list.node));
  const restart = followEvents(signal, {
    wanted: () => ({ from: last ?? OLDEST, ...(kind.value ? { kinds: [kind.value] } : {}) }),
    add(event) {
      last = event.sequence;
      list.add(event);
    },
    error,
    state,
  });
  kind.addEventListener('change', () => {
    list.clear();
    last = null;
    restart();
  });
}

export default { title: 'Events', show };
