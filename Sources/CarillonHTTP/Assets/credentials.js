// The credentials for APNs and FCM: what they are, when they end, whether they are accepted.
import { el, table, tableRow, rows, fill, setText, number, time, chip } from './dom.js';
import { api, poll, sentence } from './api.js';

function show(main, { signal }) {
  const error = el('p', { class: 'error', role: 'alert' });
  const list = table('Credentials', ['Credential', 'Kind', 'Team or project', 'Key', 'Expires', 'Apps']);
  const use = table('Use', ['Credential', 'State', 'Last use', 'Last refusal', '#Connections', '#Pushes', '#Failures to connect', 'Last failure']);
  const server = el('p', { class: 'soft' });
  main.append(el('div', { class: 'head' }, el('h1', {}, 'Credentials')), error,
    el('section', { class: 'card' }, el('h2', {}, 'Credentials'), list.node, server), el('section', { class: 'card' }, el('h2', {}, 'Use'), use.node,
      el('p', { class: 'soft' }, 'All since the start of the server; the times of the last use and the last refusal are right to five seconds. A refusal is an answer of status 401 or 403; after ExpiredProviderToken the server signs a new token by itself.'),
      el('p', { class: 'soft' }, 'A refused credential is tried again by itself after 1, 5, 15 and 60 minutes, then every hour. After a change of apps.json, reload the server.')));

  function expiry(each) {
    if (!each.not_after) return 'never';
    const days = Math.floor((each.not_after - Date.now()) / 86400000);
    return el('span', {}, time(each.not_after), ' ', chip(days < 0 ? 'expired' : `${number(days)} days`, days < 0 ? 'bad' : days < 30 ? 'held' : 'done'));
  }

  /** Shows a time with a text after it, and leaves the cell alone if it shows that already. */
  function showTime(cell, ms, text = '') {
    const node = el('span', {}, time(ms), text && ` ${text}`);
    if (cell.textContent !== node.textContent) cell.replaceChildren(node);
  }

  poll(signal, async () => {
    try {
      // No sample has this number: the history of the answer is empty.
      const [settings, overview] = await Promise.all([api('settings', {}, { poll: true, signal }), api('overview', { after: Number.MAX_SAFE_INTEGER }, { poll: true, signal })]);
      const now = overview.statistics;
      setText(error, '');
      rows(list.body, settings.credentials, (each) => JSON.stringify(each), (each) => tableRow([each.credential, each.kind, each.team_id ?? each.project ?? '–', each.key_id ?? '–', expiry(each),
        settings.apps.flatMap((app) => ['production', 'sandbox', 'fcm', 'web'].filter((name) => app[name] === each.credential).map((name) => `${app.app} (${name})`)).join(', ') || 'none']));
      server.replaceChildren(...(settings.certificate_not_after ? ['The certificate of this server expires ', time(settings.certificate_not_after), '.'] : []));
      rows(use.body, now.pools.map((pool, index) => ({ ...pool, failure: (now.failures ?? []).find((one) => one.pool === index) })), (each) => `${each.credential}/${each.environment}`,
        (each) => tableRow([`${each.credential} / ${each.environment}`, el('span'), '', '', '#', '#', '#', '']), (row, each) => {
          const state = each.stopped ? ['refused', 'bad'] : each.failure?.unreachable ? ['unreachable', 'bad'] : each.attempts ? ['accepted', 'done'] : ['not used yet', ''];
          if (row.cells[1].textContent !== state[0]) row.cells[1].replaceChildren(chip(...state));
          const used = overview.credential_uses.find((one) => one.credential === each.credential && one.environment === each.environment);
          showTime(row.cells[2], used?.used_at);
          showTime(row.cells[3], used?.refused_at, used?.refused_at && `${used.status} ${used.reason}`);
          fill(row, [undefined, undefined, undefined, undefined, number(each.open), number(each.attempts), number(each.failure?.count ?? 0), each.failure ? `${each.failure.reason}` : '–']);
        });
    } catch (problem) {
      if (signal.aborted) return;
      setText(error, sentence(problem));
      throw problem;
    }
  });
}

export default { title: 'Credentials', show };
