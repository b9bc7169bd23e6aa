// The cards of groups and topics.
import {
  el, card, table, tableRow, setText, number, button, chip, confirm, counted, buttonRow, emptyLine, lookupLink,
} from './dom.js';

/** Devices that one click lists. */
const DEVICES_PER_CLICK = 100;
/** The maximum of topics of a group that are read. */
const MAXIMUM_TOPICS = 1000;
/** The maximum of groups, and of topics, that begin with a text. */
const MAXIMUM_NAMES = 20;

/** The number of devices, and a list of them that grows; `name` and `body` are the request that reads them. */
function deviceList(page, { name, body, devices }) {
  const list = el('p', { class: 'mono' });
  const more = button('List devices', load);
  let cursor = '0';
  async function load() {
    const found = await page.request(name, { ...body, cursor, limit: DEVICES_PER_CLICK });
    for (const id of found.devices) list.append(el('a', { href: `#/lookup?q=${id}` }, String(id)), ' ');
    cursor = found.next;
    setText(more, 'More');
    more.hidden = cursor === '0';
  }
  return [el('p', {}, counted(devices, 'device')), list, buttonRow(more)];
}

/** The button that mutes or unmutes a group. */
function muteButton(page, { group, muted, devices }) {
  async function change() {
    const count = counted(devices, 'device');
    const text = `${count} of the group, and those that join it, get no pushes.`;
    if (!muted && !await confirm(`Mute ${group}?`, text, `Mute ${count}`)) return;
    await page.change('update_group', { group, muted: !muted },
      muted ? 'The group gets pushes again.' : 'The group gets no pushes.');
  }
  return button(muted ? 'Unmute' : 'Mute…', change);
}

async function groupCards(page, found) {
  const { group, muted, devices } = found;
  const { topics } = await page.request('group_topics', { group, limit: MAXIMUM_TOPICS });
  const list = table('Topics of the group', ['Topic']);
  list.body.append(...topics.map((each) => tableRow([lookupLink(each)])));
  const row = buttonRow(muted ? chip('muted', 'held') : null, page.mayChange() ? muteButton(page, found) : null);
  return [card(`Group ${group}`, row, deviceList(page, { name: 'group_devices', body: { group }, devices })),
    card('Topics of the group', topics.length ? list.node : emptyLine('The group is subscribed to no topic.'))];
}

function topicCard(page, { topic, devices }) {
  return card(`Topic ${topic}`, deviceList(page, { name: 'topic_devices', body: { topic }, devices }));
}

/** The card with names, each as kind, name and number of devices. */
function namesCard(names) {
  const list = table('Names that begin so', ['Kind', 'Name', '#Devices']);
  list.body.append(...names.map(([kind, name, count]) => tableRow([kind, lookupLink(name), `#${number(count)}`])));
  return card('Names that begin so', list.node);
}

/** The cards of the group and the topic with a name, and of others that begin with it; none if there are none. */
export async function nameCards(page, text) {
  const [{ groups }, { topics }] = await Promise.all([
    page.request('groups', { prefix: text, limit: MAXIMUM_NAMES }),
    page.request('topics', { prefix: text, limit: MAXIMUM_NAMES })]);
  const group = groups.find((each) => each.group === text);
  const topic = topics.find((each) => each.topic === text);
  const others = [...groups.map((each) => ['group', each.group, each.devices]),
    ...topics.map((each) => ['topic', each.topic, each.devices])].filter((each) => each[1] !== text);
  const cards = group ? await groupCards(page, group) : [];
  if (topic) cards.push(topicCard(page, topic));
  if (others.length) cards.push(namesCard(others));
  return cards;
}
