// Messages of an app: first the ones under way, then a list with filters.
import {
  el, card, table, tableRow, fillLastCells, updateRows, setText, number, duration, time, field, select, button, share,
  showState, pageHead, chosenApp, errorLine, buttonRow, emptyLine, messageAddress, messageLink, progressBar,
} from './dom.js';
import { call, poll, sentence } from './api.js';

const TYPES = [['', 'any type'], 'alert', 'background', 'location', 'voip', 'complication', 'fileprovider', 'mdm',
  'liveactivity', 'pushtotalk', 'widgets', 'controls'];
/** Rows of a page. */
const ROWS_PER_PAGE = 50;
/** MESSAGES has no filter of types: with a type, this many messages are read at a time, MAXIMUM_READS times at most. */
const ROWS_PER_READ = 200;
const MAXIMUM_READS = 5;
const STATES = [['', 'any state'], 'waiting', 'sending', 'paused', 'scheduled', 'finished'];

/** The filters, as the address of the page has them, and the number of a message to open. */
function filterForm(parameters, context, onApply) {
  const parameter = (name) => parameters.get(name) ?? '';
  const filters = {
    state: select(STATES, parameter('state')),
    type: select(TYPES, parameter('type')),
    label: el('input', { value: parameter('label'), maxlength: '100', 'data-search': true, spellcheck: 'false' }),
    sender: el('input', { value: parameter('sender'), maxlength: '255', spellcheck: 'false' }),
  };
  const messageNumber = el('input', {
    inputmode: 'numeric', pattern: '[0-9]+', placeholder: 'number', 'aria-label': 'Open the message with this number',
  });
  function apply() {
    const chosen = new URLSearchParams();
    for (const [name, node] of Object.entries(filters)) if (node.value) chosen.set(name, node.value);
    history.replaceState(null, '', `#/messages${chosen.size ? `?${chosen}` : ''}`);
    onApply();
  }
  const onsubmit = (event) => {
    event.preventDefault();
    if (messageNumber.value) location.hash = messageAddress(context.app, messageNumber.value);
    else apply();
  };
  const node = el('form', { class: 'fields', onsubmit, onchange: apply }, field('State', filters.state),
    field('Type', filters.type), field('Label begins with', filters.label), field('Sender', filters.sender),
    field('Message', messageNumber));
  return {
    node,
    type: () => filters.type.value,
    /** The filters that the server applies. */
    requestPart() {
      const { type, ...others } = filters;
      const set = Object.entries(others).filter(([, input]) => input.value);
      return Object.fromEntries(set.map(([name, input]) => [name, input.value]));
    },
  };
}

/** Reads a page of messages of a type, or of all: its messages, and where the next one begins. */
async function readPage(wanted, type, signal) {
  const limit = type ? ROWS_PER_READ : ROWS_PER_PAGE;
  let found = [];
  let before = wanted.before;
  for (let count = 0; count < (type ? MAXIMUM_READS : 1); count += 1) {
    const answer = await call('messages', { ...wanted, limit, before }, { poll: true, signal });
    const all = answer.messages.map((each, index) => ({ ...each, ...answer.details?.[index] }));
    found = found.concat(all.filter((each) => !type || each.push_type === type));
    before = answer.next;
    if (found.length > ROWS_PER_PAGE) {
      return { found: found.slice(0, ROWS_PER_PAGE), next: String(found[ROWS_PER_PAGE - 1].message_id) };
    }
    if (found.length === ROWS_PER_PAGE || before === '0') break;
  }
  return { found, next: before };
}

/** The table of messages. */
function messageTable(context) {
  const list = table('Messages', ['Message', 'State', 'Label', 'Sender', 'Accepted', 'Type', 'Progress', '#Devices',
    '#Delivered', '#Not delivered']);
  const create = (each) => tableRow([messageLink(each.app ?? context.app, each.message_id), el('span'),
    each.label || '–', each.sender || '–', time(each.accepted_at), each.push_type, progressBar(each.message_id),
    '#', '#', '#']);
  function update(row, each) {
    showState(row.cells[1], each.state);
    row.querySelector('progress').value = each.total ? each.ended / each.total : 1;
    const delivered = each.delivered === undefined ? '–'
      : `${number(each.delivered)} (${share(each.delivered, each.total)})`;
    const failed = each.failed === undefined ? '–' : number(each.failed);
    fillLastCells(row, [number(each.total), delivered, failed]);
  }
  return {
    node: list.node,
    draw(found) {
      list.node.hidden = found.length === 0;
      updateRows(list.body, found, (each) => each.message_id, create, update);
    },
  };
}

/** The card of all messages: a page of them, and the way to the older ones. */
function allMessages(parameters, context, { signal, error }) {
  const form = filterForm(parameters, context, showNewest);
  const empty = emptyLine('No message matches.');
  const list = messageTable(context);
  const older = button('Older', showOlder);
  const newest = button('Newest', showNewest);
  let places = ['0'];
  let next = '0';

  function showNewest() {
    places = ['0'];
    load();
  }
  function showOlder() {
    places.push(next);
    load();
  }
  async function load() {
    if (!context.app) return setText(error, 'Choose an app on the left.');
    const wanted = { app: context.app, before: places[places.length - 1], ...form.requestPart() };
    try {
      const page = await readPage(wanted, form.type(), signal);
      setText(error, '');
      next = page.next;
      draw(page.found);
    } catch (problem) {
      if (signal.aborted) return;
      setText(error, sentence(problem));
      throw problem;
    }
  }
  function draw(found) {
    older.disabled = next === '0';
    newest.disabled = places.length === 1;
    empty.hidden = found.length > 0;
    setText(empty, next === '0' ? 'No message matches.'
      : 'None of the messages that were looked at matches. Choose Older to look further.');
    list.draw(found);
  }
  return { node: card('All messages', form.node, empty, list.node, buttonRow(newest, older)), load };
}

/** The card of the messages of the app that are under way, hidden while there is none. */
function messagesUnderWay(context) {
  const list = table('Messages under way', ['Message', 'Lane', 'Progress', '#Ended', '#Rate', '#Time left',
    '#In flight']);
  const node = card('Messages under way', list.node);
  node.hidden = true;
  const create = (each) => tableRow([messageLink(each.app ?? context.app, each.message_id), each.lane,
    progressBar(each.message_id), '#', '#', '#', '#']);
  function updateRow(row, each) {
    row.querySelector('progress').value = each.total ? each.ended / each.total : 0;
    const ended = `${number(each.ended)} of ${number(each.total)} (${share(each.ended, each.total)})`;
    const left = each.rate ? duration((each.total - each.ended) / each.rate * 1000) : '–';
    fillLastCells(row, [ended, `${number(each.rate)}/s`, left, number(each.in_flight)]);
  }
  function say([first, ...others]) {
    const count = others.length ? `${number(others.length + 1)} messages are` : '1 message is';
    context.say(`${count} under way. Message ${first.message_id}: ${share(first.ended, first.total)}.`);
  }
  function update(now) {
    const found = now.sending.filter((each) => each.app === context.app);
    node.hidden = found.length === 0;
    updateRows(list.body, found, (each) => each.message_id, create, updateRow);
    if (found.length) say(found);
  }
  return { node, update };
}

function show(main, { parameters, signal, context }) {
  const error = errorLine();
  const underWay = messagesUnderWay(context);
  const all = allMessages(parameters, context, { signal, error });
  const compose = context.may(context.app, 'send') ? el('a', { href: '#/compose' }, 'Compose a message') : null;
  main.append(pageHead('Messages', chosenApp(context), buttonRow(compose)), error, underWay.node, all.node);
  poll(signal, all.load);
  if (context.may('*', 'observe', 'admin')) {
    poll(signal, async () => underWay.update(await call('statistics', {}, { poll: true, signal })));
  }
}

export default { title: 'Messages', show };
