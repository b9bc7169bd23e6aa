// The credentials for APNs: what they are, when they end, whether APNs takes them.
import { el, table, tableRow, rows, fill, setText, number, time, chip, field } from './dom.js';
import { api, call, poll, sentence } from './api.js';

function show(main, { signal }) {
  const error = el('p', { class: 'error', role: 'alert' });
  const list = table('Credentials', ['Credential', 'Kind', 'Team', 'Key', 'Expires', 'Apps']);
  const use = table('Use', ['Credential', 'Environment', 'State', '#Connections', '#Pushes since the start', '#Failed connections', 'Last failure']);
  const server = el('p', { class: 'soft' });
  main.append(el('div', { class: 'head' }, el('h1', {}, 'Credentials')), error,
    el('section', { class: 'card' }, el('h2', {}, 'Credentials'), list.node, server), el('section', { class: 'card' }, el('h2', {}, 'Use'), use.node,
      el('p', { class: 'soft' }, 'A refused credential is tried again by itself after 1, 5, 15 and 60 minutes, then every hour. After a change of apps.json, reload the server.')));

  function expiry(each) {
    if (!each.not_after) return 'never';
    const days = Math.floor((each.not_after - Date.now()) / 86400000);
    return el('span', {}, time(each.not_after), ' ', chip(days < 0 ? 'expired' : `${number(days)} days`, days < 0 ? 'bad' : days < 30 ? 'held' : 'done'));
  }

  poll(signal, async () => {
    try {
      const [settings, now] = await Promise.all([api('settings', {}, { poll: true, signal }), call('statistics', {}, { poll: true, signal })]);
      setText(error, '');
      rows(list.body, settings.credentials, (each) => JSON.stringify(each), (each) => tableRow([each.credential, each.kind, each.team_id ?? '–', each.key_id ?? '–', expiry(each),
        settings.apps.flatMap((app) => ['production', 'sandbox'].filter((name) => app[name] === each.credential).map((name) => `${app.app} (${name})`)).join(', ') || 'none']));
      server.replaceChildren(...(settings.certificate_not_after ? ['The certificate of this server expires ', time(settings.certificate_not_after), '.'] : []));
      rows(use.body, now.pools.map((pool, index) => ({ ...pool, failure: (now.failures ?? []).find((one) => one.pool === index) })), (each) => `${each.credential}/${each.environment}`,
        (each) => tableRow([each.credential, each.environment, el('span'), '#', '#', '#', '']), (row, each) => {
          const state = each.stopped ? ['refused', 'bad'] : each.failure?.unreachable ? ['unreachable', 'bad'] : each.attempts ? ['accepted', 'done'] : ['not used yet', ''];
          if (row.cells[2].textContent !== state[0]) row.cells[2].replaceChildren(chip(...state));
          fill(row, [undefined, undefined, undefined, number(each.open), number(each.attempts), number(each.failure?.count ?? 0), each.failure ? `${each.failure.reason}` : '–']);
        });
    } catch (problem) {
      if (signal.aborted) return;
      setText(error, sentence(problem));
      throw problem;
    }
  });
}

export default { title: 'Credentials', show };
