// The recipients of a message with their outcomes, some at a time.
import {
  el, card, table, tableRow, updateRows, setText, number, counted, field, button, buttonRow, fieldGroup, softLine,
} from './dom.js';
import { call, sentence } from './api.js';

/** Rows that one click adds. */
const ROWS_PER_CLICK = 50;
/** A large message may have few failures: at most this many pages are read for one click. */
const MAXIMUM_PAGES = 20;
const ROWS_PER_PAGE = 1000;

const isFailure = ({ outcome }) => outcome !== 'delivered' && outcome !== 'pending' && outcome !== null;

/** Reads the recipients in their order; `isWanted` says which of them are kept. */
function recipientReader(app, id, signal) {
  let cursor = '0';
  let found = [];
  return {
    found: () => found,
    isAtEnd: () => cursor === '0',
    restart() {
      cursor = '0';
      found = [];
    },
    async readUntil(wanted, isWanted) {
      for (let page = 0; page < MAXIMUM_PAGES && found.length < wanted; page += 1) {
        const body = { app, message_id: id, cursor, limit: ROWS_PER_PAGE };
        const answer = await call('message_outcomes', body, { signal });
        found = found.concat(answer.recipients.filter(isWanted));
        cursor = answer.next;
        if (cursor === '0') break;
      }
    },
  };
}

function recipientRow(each, id) {
  const link = (text) => el('a', { href: `#/lookup?q=${each.device_id}&message=${id}` }, text);
  return tableRow([each.device_id ? link(String(each.device_id)) : 'not registered',
    String(each.outcome ?? 'pending'), each.device_id ? link('why') : '']);
}

/** The table of recipients and the line below it. `show` draws recipients and a text, `clear` removes both. */
function recipientList(id) {
  const list = table('Recipients', ['Device', 'Outcome', '']);
  const note = softLine('');
  const say = (text) => setText(note, text);
  list.node.hidden = true;
  function show(recipients, text) {
    list.node.hidden = recipients.length === 0;
    const key = (each) => `${each.device_id} ${recipients.indexOf(each)}`;
    updateRows(list.body, recipients, key, (each) => recipientRow(each, id));
    say(text);
  }
  function clear() {
    updateRows(list.body, [], () => 0);
    say('');
  }
  return { nodes: [list.node, note], show, say, clear };
}

/** The card that lists recipients. */
export function recipientsCard(app, id, signal) {
  const kind = el('select', {}, el('option', { value: 'failed' }, 'not delivered'), el('option', { value: '' }, 'all'));
  const list = recipientList(id);
  const more = button('List recipients', load);
  const reader = recipientReader(app, id, signal);
  kind.addEventListener('change', () => {
    reader.restart();
    list.clear();
    setText(more, 'List recipients');
    more.disabled = false;
  });

  async function load() {
    more.disabled = true;
    const wanted = reader.found().length + ROWS_PER_CLICK;
    try {
      await reader.readUntil(wanted, (each) => !kind.value || isFailure(each));
    } catch (problem) {
      return list.say(sentence(problem));
    }
    const found = reader.found();
    const all = `${counted(found.length, 'recipient')}${kind.value ? ' without delivery' : ''}`;
    list.show(found.slice(0, wanted), reader.isAtEnd() ? all : `${number(found.length)} so far`);
    setText(more, 'More');
    more.disabled = reader.isAtEnd();
  }
  return card('Recipients', fieldGroup(field('Show', kind)), ...list.nodes, buttonRow(more));
}
