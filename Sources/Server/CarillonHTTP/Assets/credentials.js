// The credentials for the providers: their facts, when they end, whether they are accepted.
import {
  el, card, table, tableRow, updateRows, fillLastCells, setText, number, time, chip, showChip, pageHead, errorLine,
  softLine,
} from './dom.js';
import { api, pollWithErrors } from './api.js';

const DAY_MILLISECONDS = 86400000;
const ENVIRONMENTS = ['production', 'sandbox', 'fcm', 'web'];
const USE_NOTE = 'All since the start of the server; the times of the last use and the last refusal are right to five '
  + 'seconds. A refusal is an answer of status 401 or 403; after ExpiredProviderToken the server signs a new token by '
  + 'itself.';
const TRIAL_NOTE = 'A refused credential is tried again by itself after 1, 5, 15 and 60 minutes, then every hour. '
  + 'After a change of apps.json, reload the server.';

/** When a credential expires, and how many days are left. */
function expiry(each) {
  if (!each.not_after) return 'never';
  const days = Math.floor((each.not_after - Date.now()) / DAY_MILLISECONDS);
  const kind = days < 30 ? 'held' : 'done';
  const left = days < 0 ? chip('expired', 'bad') : chip(`${number(days)} days`, kind);
  return el('span', {}, time(each.not_after), ' ', left);
}

/** Shows a time with a text after it, and leaves the cell alone if it shows that already. */
function showTime(cell, ms, text = '') {
  const node = el('span', {}, time(ms), text && ` ${text}`);
  if (cell.textContent !== node.textContent) cell.replaceChildren(node);
}

/** The card of the credentials and the certificate of the server. */
function credentialsCard() {
  const list = table('Credentials', ['Credential', 'Kind', 'Team or project', 'Key', 'Expires', 'Apps']);
  const server = softLine();
  function appsOf(credential, apps) {
    const names = apps.flatMap((app) => ENVIRONMENTS.filter((name) => app[name] === credential)
      .map((name) => `${app.app} (${name})`));
    return names.join(', ') || 'none';
  }
  function update(settings) {
    const create = (each) => tableRow([each.credential, each.kind, each.team_id ?? each.project ?? '–',
      each.key_id ?? '–', expiry(each), appsOf(each.credential, settings.apps)]);
    updateRows(list.body, settings.credentials, (each) => JSON.stringify(each), create);
    const end = settings.certificate_not_after;
    server.replaceChildren(...(end ? ['The certificate of this server expires ', time(end), '.'] : []));
  }
  return { node: card('Credentials', list.node, server), update };
}

function poolState(pool) {
  if (pool.parked) return ['refused', 'bad'];
  if (pool.failure?.unreachable) return ['unreachable', 'bad'];
  return pool.attempts ? ['accepted', 'done'] : ['not used yet', ''];
}

/** The card of the use of the credentials. */
function useCard() {
  const list = table('Use', ['Credential', 'State', 'Last use', 'Last refusal', '#Connections', '#Pushes',
    '#Failures to connect', 'Last failure']);
  const create = (each) => tableRow([`${each.credential} / ${each.environment}`, el('span'),
    '', '', '#', '#', '#', '']);
  function updateRow(row, pool, use) {
    showChip(row.cells[1], ...poolState(pool));
    showTime(row.cells[2], use?.used_at);
    showTime(row.cells[3], use?.refused_at, use?.refused_at && `${use.status} ${use.reason}`);
    fillLastCells(row, [number(pool.open), number(pool.attempts), number(pool.failure?.count ?? 0),
      pool.failure ? `${pool.failure.reason}` : '–']);
  }
  function update({ statistics, credential_uses: uses }) {
    const failureOf = (index) => (statistics.failures ?? []).find((each) => each.pool === index);
    const pools = statistics.pools.map((pool, index) => ({ ...pool, failure: failureOf(index) }));
    updateRows(list.body, pools, (each) => `${each.credential}/${each.environment}`, create, (row, pool) => {
      const isOfPool = (use) => use.credential === pool.credential && use.environment === pool.environment;
      updateRow(row, pool, uses.find(isOfPool));
    });
  }
  return { node: card('Use', list.node, softLine(USE_NOTE), softLine(TRIAL_NOTE)), update };
}

function show(main, { signal }) {
  const error = errorLine();
  const credentials = credentialsCard();
  const use = useCard();
  main.append(pageHead('Credentials'), error, credentials.node, use.node);
  const read = (path, body) => api(path, body, { poll: true, signal });
  pollWithErrors(signal, error, async () => {
    // No sample has such a high number, so the answer comes without history.
    const after = Number.MAX_SAFE_INTEGER;
    const [settings, overview] = await Promise.all([read('settings', {}), read('overview', { after })]);
    setText(error, '');
    credentials.update(settings);
    use.update(overview);
  });
}

export default { title: 'Credentials', show };
