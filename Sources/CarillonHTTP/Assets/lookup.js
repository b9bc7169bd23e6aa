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
        note.hidden = true;
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
    el('div', { class: 'phones' }, card('Groups and topics', members.groups.length ? groups.node : el('p', { class: 'empty' }, 'It is in no group.'), members.topics.length ? topics.node : el('p', { class: 'empty' }, 'It is in no topic.'),
      members.next ? el('p', { class: 'soft' }, 'There are more topics.') : null),
    card('Why did this device (not) get a message?', traceForm(context, { app: app(), device: String(id), suggested: parameters.get('message') })))];
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
