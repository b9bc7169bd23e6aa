// The cards of one device: its record, its groups and topics, and why it did or did not get a message.
import {
  el, card, table, tableRow, number, time, button, chip, confirm, buttonRow, column, emptyLine, factList, lookupLink,
  softLine,
} from './dom.js';
import { traceForm } from './trace.js';

/** The maximum of groups and topics that are read. */
const MAXIMUM_MEMBERSHIPS = 1000;

function facts(found) {
  const attributes = (found.attributes ?? []).map((each) => `${each.key} = ${each.value}`).join(', ');
  return factList([
    ['Device', number(found.device_id).replace(/,/g, '')], ['Token', el('code', {}, found.token)],
    ['Kind', `${found.kind}, ${found.environment}`], ['Locale', found.locale ?? '–'],
    ['Time zone', found.time_zone ?? '–'], ['Registered', time(found.registered_at)],
    ['Token seen', time(found.seen_at)], ['Attributes', attributes || '–']]);
}

/** The buttons that change the device. */
function changeButtons(page, found, isMuted) {
  const id = found.device_id;
  const mute = () => page.change('update_device', { device: id, muted: !isMuted },
    isMuted ? 'The device gets pushes again.' : 'The device gets no pushes.');
  const restore = () => page.change('restore', { device: id }, 'The device is in its audiences again.');
  async function remove() {
    const text = 'One device leaves its groups and topics, and gets no push. '
      + 'It comes back only when its app registers it again.';
    if (!await confirm(`Remove device ${id}?`, text, 'Remove 1 device', { danger: true })) return;
    await page.change('unregister', { device: id, at: 0 }, 'The device is removed.');
    page.clear();
  }
  return [button(isMuted ? 'Unmute' : 'Mute', mute),
    found.state === 'quarantined' ? button('Restore', restore) : null, button('Remove…', remove, 'danger')];
}

function groupTable(groups) {
  if (!groups.length) return emptyLine('It is in no group.');
  const list = table('Groups', ['Group', 'Mute']);
  const row = (each) => tableRow([lookupLink(each.group), each.muted ? chip('muted', 'held') : '–']);
  list.body.append(...groups.map(row));
  return list.node;
}

function topicTable(topics) {
  if (!topics.length) return emptyLine('It is in no topic.');
  const list = table('Topics', ['Topic', 'Held by']);
  const holder = ({ source }) => (source ? el('span', {}, 'group ', lookupLink(source)) : 'the device itself');
  list.body.append(...topics.map((each) => tableRow([lookupLink(each.topic), holder(each)])));
  return list.node;
}

/** The card of the device itself. */
function deviceCard(page, found, muted) {
  const isMuted = muted.includes('device');
  const chips = [chip(found.state, found.state === 'active' ? 'done' : 'bad'),
    isMuted ? chip('muted', 'held') : null, muted.includes('group') ? chip('a group is muted', 'held') : null];
  const buttons = page.mayChange() ? changeButtons(page, found, isMuted) : [];
  return card(`Device ${found.device_id}`, buttonRow(chips), facts(found), buttonRow(buttons));
}

/** The cards of a device, given by its id or token. A message of `suggested` is explained at once. */
export async function deviceCards(page, device, suggested) {
  const [found, members] = await Promise.all([
    page.request('lookup', { device }), page.request('memberships', { device, limit: MAXIMUM_MEMBERSHIPS })]);
  const trace = traceForm(page.context, { app: page.context.app, device: String(found.device_id), suggested });
  return [deviceCard(page, found, members.muted), column(
    card('Groups and topics', groupTable(members.groups), topicTable(members.topics),
      members.next ? softLine('There are more topics.') : null),
    card('Why did this device (not) get a message?', trace))];
}
