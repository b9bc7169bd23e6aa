// Messages of an app: those that run first, then a list with filters.
import { el, card, table, tableRow, fill, rows, setText, number, duration, time, field, select, button, stateChip, share } from './dom.js';
import { call, poll, sentence } from './api.js';

const TYPES = [['', 'any type'], 'alert', 'background', 'location', 'voip', 'complication', 'fileprovider', 'mdm', 'liveactivity', 'pushtotalk', 'widgets', 'controls'];
/** Rows of a page. */
const ROWS = 50;
/** With a type, the page reads that many messages at a time, and that often at most: MESSAGES has no filter of types. */
const READ_ROWS = 200;
const READS = 5;
const STATES = [['', 'any state'], 'waiting', 'sending', 'paused', 'scheduled', 'finished'];

function show(main, { parameters, signal, context }) {
  const error = el('p', { class: 'error', role: 'alert' });
  const state = select(STATES, parameters.get('state') ?? '');
  const type = select(TYPES, parameters.get('type') ?? '');
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
      field('State', state), field('Type', type), field('Label begins with', label), field('Sender', sender), field('Message', number_)),
    empty, list.node, el('div', { class: 'buttons' }, newer, older)));

  function apply() {
    const chosen = new URLSearchParams();
    for (const [name, node] of [['state', state], ['type', type], ['label', label], ['sender', sender]]) if (node.value) chosen.set(name, node.value);
    history.replaceState(null, '', `#/messages${chosen.size ? `?${chosen}` : ''}`);
    places = ['0'];
    load();
  }

  /** Reads a page: its rows, and where the next one begins. */
  async function read(wanted) {
    const limit = type.value ? READ_ROWS : ROWS;
    let found = [];
    let before = wanted.before;
    for (let count = 0; count < (type.value ? READS : 1); count += 1) {
      const answer = await call('messages', { ...wanted, limit, before }, { poll: true, signal });
      const all = answer.messages.map((each, index) => ({ ...each, ...answer.details?.[index] }));
      found = found.concat(all.filter((each) => !type.value || each.push_type === type.value));
      before = answer.next;
      if (found.length > ROWS) return { found: found.slice(0, ROWS), next: String(found[ROWS - 1].message_id) };
      if (found.length === ROWS || before === '0') break;
    }
    return { found, next: before };
  }

  async function load() {
    if (!context.app) return setText(error, 'Choose an app on the left.');
    const wanted = { app: context.app, before: places[places.length - 1] };
    for (const [name, node] of [['state', state], ['label', label], ['sender', sender]]) if (node.value) wanted[name] = node.value;
    try {
      const page = await read(wanted);
      setText(error, '');
      next = page.next;
      older.disabled = next === '0';
      newer.disabled = places.length === 1;
      draw(page.found);
    } catch (problem) {
      if (signal.aborted) return;
      setText(error, sentence(problem));
      throw problem;
    }
  }

  const link = (each) => el('a', { href: `#/message/${encodeURIComponent(each.app ?? context.app)}/${each.message_id}` }, String(each.message_id));

  function draw(found) {
    empty.hidden = found.length > 0;
    setText(empty, next === '0' ? 'No message matches.' : 'None of the messages that were looked at matches. Choose Older to look further.');
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
      if (found.length) context.say(`${found.length === 1 ? '1 message is' : `${number(found.length)} messages are`} under way. Message ${found[0].message_id}: ${share(found[0].ended, found[0].total)}.`);
    });
  }
}

export default { title: 'Messages', show };
