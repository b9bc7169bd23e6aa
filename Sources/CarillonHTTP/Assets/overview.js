// What the server does now, and did in the last hour.
import { el, card, table, tableRow, fill, rows, setText, number, compact, duration, bytes, chip, timeText, outcomeKind, share, counted } from './dom.js';
import { api, poll, sentence } from './api.js';
import { chart } from './chart.js';

const HOUR = 3600000;
/** The most connections that are listed. */
const LISTED = 50;

/** A node is silent if it was not heard of for so long: three renewals of its lease. */
const SILENT = 3000;

/** What is wrong now, the worst first. */
function alarms(now, settings, tokenAlarms, nodes) {
  const found = [];
  for (const node of nodes.filter((each) => each.is_live && each.silence_ms > SILENT)) {
    found.push(['bad', `Node ${node.node} is silent`, `It was not heard of for ${duration(node.silence_ms)}. Others go on with its messages when it is expired.`]);
  }
  for (const each of tokenAlarms) {
    found.push(['bad', `Many tokens of ${each.app} are called bad (${each.environment})`, 'Do apps register sandbox tokens as production, or with another bundle id, or is the Firebase project another? No device is quarantined for it while this lasts.']);
  }
  for (const pool of now.pools) {
    const name = `${pool.credential}/${pool.environment}`;
    const failure = (now.failures ?? []).find((each) => now.pools[each.pool] === pool);
    if (pool.stopped) found.push(['bad', `The credential ${name} is refused`, 'Its messages wait. Correct apps.json, then reload the server.']);
    const outage = (now.outages ?? []).find((each) => now.pools[each.pool] === pool);
    if (failure?.unreachable) found.push(['bad', `No connection: ${name}`, outage ? `${outage.cause || 'unknown'}: ${failure.reason}. Since ${timeText(outage.began_at)}${outage.next_attempt_at ? `, next attempt ${timeText(outage.next_attempt_at)}` : ''}.` : failure.reason]);
    if (pool.throttle) found.push(['mild', `The provider is busy: ${name}`, `At most ${number(pool.throttle)} deliveries/s for now.`]);
  }
  if (now.limit_bytes) {
    const used = (now.database_bytes - now.free_bytes) / now.limit_bytes;
    if (used > 0.92) found.push(['bad', 'The database is full', 'Messages and registrations are refused. Raise data.limitMebibytes.']);
    else if (used > 0.75) found.push(['mild', 'The database fills', `${Math.round(used * 100)} % of data.limitMebibytes are used; at 85 % messages are refused.`]);
  }
  if (now.reader_age > 10000) found.push(['mild', 'A read of the database is old', `It keeps pages from reuse since ${number(now.reader_age)} commits.`]);
  for (const each of settings?.credentials ?? []) {
    const days = each.not_after ? (each.not_after - now.at) / 86400000 : Infinity;
    if (days < 14) found.push([days < 0 ? 'bad' : 'mild', `The certificate ${each.credential} ${days < 0 ? 'has expired' : `expires in ${Math.floor(days)} days`}`, 'Renew it, reload.']);
  }
  return found.sort((left, right) => (left[0] === 'bad' ? 0 : 1) - (right[0] === 'bad' ? 0 : 1));
}

function tile(label) {
  const value = el('b', {}, '–');
  return { node: el('div', { class: 'tile' }, value, el('span', {}, label)), set: (text) => setText(value, text) };
}

function show(main, { signal, context }) {
  const error = el('p', { class: 'error', role: 'alert' });
  const list = el('ul', { class: 'alarms', 'aria-label': 'Alarms' });
  const fine = el('p', { class: 'fine' }, '✓ Nothing is wrong that the server knows of.');
  const tiles = {
    rate: tile('deliveries/s'), failed: tile('failures/s'), waiting: tile('waiting'), flight: tile('in flight'),
    commits: tile('commits/s'), p99: tile('commit, p99'), clients: tile('clients'), database: tile('database'),
  };
  const deliveries = chart('Deliveries a second, by outcome', [
    { name: 'delivered', label: 'delivered' }, { name: 'failed', label: 'failed' }, { name: 'not_sent', label: 'not sent' }], { stacked: true, unit: '/s' });
  const providers = chart('Accepted a second, by provider', [
    { name: 'apns', label: 'APNs' }, { name: 'fcm', label: 'FCM' }, { name: 'web', label: 'browsers' }], { stacked: true, unit: '/s' });
  const lanes = chart('Deliveries that wait, and in flight', [
    { name: 'in_flight', label: 'in flight' }, { name: 'bulk_waiting', label: 'bulk, waiting' }, { name: 'interactive_waiting', label: 'interactive, waiting' }]);
  const commits = chart('Time of a commit', [{ name: 'commit_p50', label: 'p50' }, { name: 'commit_p99', label: 'p99' }], { format: (value) => duration(value / 1000) });
  const running = table('Messages under way', ['Message', 'App', 'Lane', 'Progress', '#Ended', '#Rate', '#Time left']);
  const pools = table('Connections by credential', ['Credential', 'State', '#Open', '#Opening', '#Draining', '#In flight', '#Streams', '#Throttle', '#Attempts', 'Answers']);
  const connections = table('Each open connection', ['Credential', 'Connection', '#In flight', '#Streams', '#Window', '#Round trip', '#Answers', '#Limit']);
  const unlisted = el('p', { class: 'soft' });
  const nodeTable = table('Nodes', ['Node', 'State', '#Position', '#Entries behind', '#Heard of', '#Lease left', 'Address', 'Version']);
  const nodeCard = card('Nodes of the cluster', nodeTable.node);
  nodeCard.hidden = true;
  const laneTable = table('Lanes', ['Lane', '#Messages', '#Waiting', '#Delayed', '#In flight']);
  const outcomes = table('Outcomes since the start', ['Outcome', '#Devices', '#Share']);
  const requests = table('Requests since the start', ['Request', 'Result', '#Count', '#Mean time']);
  const about = el('p', { class: 'soft' });
  const idle = el('p', { class: 'empty' }, 'No message is being sent.');
  main.append(el('div', { class: 'head' }, el('h1', {}, 'Overview'), about), error, list, fine,
    el('div', { class: 'tiles' }, Object.values(tiles).map((each) => each.node)),
    el('div', { class: 'grid' }, el('section', { class: 'card' }, deliveries.node), el('section', { class: 'card' }, providers.node)),
    card('Messages under way', idle, running.node), nodeCard,
    el('div', { class: 'grid' }, el('section', { class: 'card' }, lanes.node), el('section', { class: 'card' }, commits.node)),
    card('Connections to providers', pools.node, connections.node, unlisted),
    el('div', { class: 'grid' }, card('Lanes', laneTable.node), card('Outcomes since the start', outcomes.node), card('Requests since the start', requests.node)));

  let history = { at: [] };
  let last = 0;
  let before = null;
  let settings = null;
  let tokenAlarms = [];
  let nodes = [];

  function merge(next) {
    for (const [name, values] of Object.entries(next)) {
      if (Array.isArray(values)) history[name] = [...(history[name] ?? []), ...values].slice(-720);
    }
    last = next.last;
  }

  function draw(now) {
    const found = alarms(now, settings, tokenAlarms, nodes);
    fine.hidden = found.length > 0;
    rows(list, found, (each) => each[1], ([kind, title, text]) => el('li', { class: `alarm ${kind}` }, el('strong', {}, title), ' ', el('span', {}, text)), (node, each) => setText(node.lastChild, each[2]));
    if (found.length) context.say(`${counted(found.length, 'alarm')}. ${found[0][1]}.`);
    const span = before ? (now.at - before.at) / 1000 : 0;
    const total = (statistics, kind) => statistics.outcomes.filter((each) => outcomeKind(each.outcome) === kind).reduce((sum, each) => sum + each.devices, 0);
    const rate = (value) => (span > 0 ? Math.max(0, value(now) - value(before)) / span : 0);
    tiles.rate.set(compact(rate((each) => total(each, 'delivered'))));
    tiles.failed.set(compact(rate((each) => total(each, 'failed'))));
    tiles.commits.set(compact(rate((each) => each.commits)));
    tiles.waiting.set(compact(now.lanes.reduce((sum, lane) => sum + lane.waiting, 0)));
    tiles.flight.set(compact(now.lanes.reduce((sum, lane) => sum + lane.in_flight, 0)));
    const sorted = [...now.latest_commits].sort((left, right) => left - right);
    tiles.p99.set(sorted.length ? duration(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] / 1000) : '–');
    tiles.clients.set(number(now.clients));
    tiles.database.set(now.database_bytes ? bytes(now.database_bytes - now.free_bytes) : '–');
    if (!before || span >= 0.9) before = now;
    setText(about, `${now.software}, up for ${duration(now.at - now.started_at)}, ${number(now.kept ?? 0)} messages kept`);
    idle.hidden = now.sending.length > 0;
    running.node.hidden = now.sending.length === 0;
    rows(running.body, now.sending, (each) => each.message_id, (each) => tableRow([
      el('a', { href: `#/message/${encodeURIComponent(each.app)}/${each.message_id}` }, String(each.message_id)), each.app, each.lane,
      el('progress', { max: '1', 'aria-label': `progress of message ${each.message_id}` }), '#', '#', '#']), (row, each) => {
      row.querySelector('progress').value = each.total ? each.ended / each.total : 0;
      fill(row, [undefined, undefined, undefined, undefined, `#${number(each.ended)} of ${number(each.total)}`, `#${number(each.rate)}/s`,
        `#${each.rate ? duration((each.total - each.ended) / each.rate * 1000) : '–'}`]);
    });
    rows(pools.body, now.pools.map((pool, index) => ({ ...pool, index })), (each) => `${each.credential}/${each.environment}`,
      (each) => tableRow([`${each.credential} / ${each.environment}`, el('span'), '#', '#', '#', '#', '#', '#', '#', '']), (row, each) => {
        const failure = (now.failures ?? []).find((one) => one.pool === each.index);
        const state = each.stopped ? ['refused', 'bad'] : failure?.unreachable ? ['unreachable', 'bad'] : each.open ? ['connected', 'done'] : ['idle', ''];
        if (row.cells[1].textContent !== state[0]) row.cells[1].replaceChildren(chip(...state));
        const answers = now.answers.filter((one) => one.pool === each.index).map((one) => `${one.status || 'other'}${one.reason ? ` ${one.reason}` : ''} ${compact(one.count)}`);
        fill(row, [undefined, undefined, number(each.open), number(each.opening), number(each.draining), number(each.in_flight), number(each.streams),
          each.throttle ? `${number(each.throttle)}/s` : '–', number(each.attempts), answers.join(', ') || '–']);
      });
    rows(laneTable.body, now.lanes, (each) => each.lane, (each) => tableRow([each.lane, '#', '#', '#', '#']), (row, each) =>
      fill(row, [undefined, number(each.messages), number(each.waiting), number(each.delayed), number(each.in_flight)]));
    const ended = now.outcomes.reduce((sum, each) => sum + each.devices, 0);
    rows(outcomes.body, now.outcomes, (each) => each.outcome, (each) => tableRow([String(each.outcome), '#', '#']), (row, each) =>
      fill(row, [undefined, number(each.devices), share(each.devices, ended)]));
    rows(requests.body, now.requests.slice(0, 12), (each) => `${each.opcode} ${each.code}`, (each) => tableRow([String(each.opcode), each.code ?? 'ok', '#', '#']), (row, each) =>
      fill(row, [undefined, undefined, number(each.count), duration(each.micros / each.count / 1000)]));
    // A young server has no hour yet: its minutes are shown as wide as the figures allow.
    const range = { from: Math.max(now.at - HOUR, Math.min(history.at[0] ?? now.at, now.at - 5 * 60000)), to: now.at };
    for (const each of [deliveries, providers, lanes, commits]) each.update(history.at, history, range);
  }

  /** The nodes as this one saw them last; the lease is known of this one only. */
  function drawNodes() {
    nodeCard.hidden = nodes.length === 0;
    rows(nodeTable.body, nodes, (each) => each.node, (each) => tableRow([each.is_this ? el('strong', {}, `${each.node} (this node)`) : each.node, el('span'), '#', '#', '#', '#', '', '']), (row, each) => {
      const state = !each.is_live ? ['over', ''] : each.silence_ms > SILENT ? ['silent', 'bad'] : ['live', 'done'];
      if (row.cells[1].textContent !== state[0]) row.cells[1].replaceChildren(chip(...state));
      fill(row, [undefined, undefined, number(each.position), number(each.lag), `${duration(each.silence_ms)} ago`,
        each.lease_ms === undefined ? '–' : duration(each.lease_ms), each.address || '–', each.version || '–']);
    });
  }

  /** The window is what a provider takes of bodies before it opens it further; the round trip is that of TCP. */
  function drawConnections(found) {
    connections.node.hidden = found.length === 0;
    rows(connections.body, found.slice(0, LISTED), (each) => `${each.credential}/${each.environment}/${each.connection}`,
      (each) => tableRow([`${each.credential} / ${each.environment}`, each.connection, '#', '#', '#', '#', '#', '#']), (row, each) => {
        fill(row, [undefined, undefined, number(each.in_flight), number(each.streams), bytes(each.window_bytes),
          each.round_trip_micros === undefined ? '–' : duration(each.round_trip_micros / 1000), number(each.answers), each.rate === undefined ? '–' : `${number(each.rate)}/s`]);
      });
    setText(unlisted, found.length > LISTED ? `${number(found.length - LISTED)} more connections are not listed; the metrics have all of them.` : '');
  }

  api('settings').then((found) => { settings = found; }).catch(() => {});
  poll(signal, async () => {
    try {
      const answer = await api('overview', { after: last }, { poll: true, signal });
      setText(error, '');
      if (answer.history.last < last) history = { at: [] };
      merge(answer.history);
      tokenAlarms = answer.token_alarms ?? [];
      nodes = answer.nodes ?? [];
      draw(answer.statistics);
      drawConnections(answer.connections ?? []);
      drawNodes();
    } catch (problem) {
      if (signal.aborted) return;
      setText(error, problem.code === 'FORBIDDEN' ? 'The overview needs the role observe or admin for all apps (*). Messages and Look up are there for your apps.' : sentence(problem));
      throw problem;
    }
  });
}

export default { title: 'Overview', show };
