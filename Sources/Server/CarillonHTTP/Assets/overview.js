// The work of the server now and in the last hour.
import {
  el, card, updateRows, setText, number, compact, duration, bytes, outcomeKind, counted, pageHead, errorLine, softLine,
  cardGrid,
} from './dom.js';
import { api, pollWithErrors, sentence } from './api.js';
import { alarmsOf } from './alarms.js';
import { chart } from './chart.js';
import {
  messagesUnderWayCard, nodesCard, poolsTable, connectionsTable, lanesCard, outcomesCard, requestsCard,
} from './overview-tables.js';

const HOUR_MILLISECONDS = 3600000;
/** The shortest time that a chart shows: a young server has no hour yet. */
const MINIMUM_RANGE_MILLISECONDS = 5 * 60000;
/** The samples that are kept: an hour of them. */
const MAXIMUM_SAMPLES = 720;

/** The list of alarms, or the line that there are none. */
function alarmList(context) {
  const list = el('ul', { class: 'alarms', 'aria-label': 'Alarms' });
  const fine = el('p', { class: 'fine' }, '✓ Nothing is wrong that the server knows of.');
  const create = ([kind, title, text]) => el('li', { class: `alarm ${kind}` },
    el('strong', {}, title), ' ', el('span', {}, text));
  function update(alarms) {
    fine.hidden = alarms.length > 0;
    updateRows(list, alarms, (each) => each[1], create, (node, each) => setText(node.lastChild, each[2]));
    if (alarms.length) context.say(`${counted(alarms.length, 'alarm')}. ${alarms[0][1]}.`);
  }
  return { nodes: [list, fine], update };
}

function tile(label) {
  const value = el('b', {}, '–');
  return { node: el('div', { class: 'tile' }, value, el('span', {}, label)), set: (text) => setText(value, text) };
}

/** The value that 99 % of the values do not exceed; undefined if there are no values. */
function percentile99(values) {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))];
}

/** The number of devices whose outcome is of a kind. */
const devicesOf = (statistics, kind) => statistics.outcomes.filter((each) => outcomeKind(each.outcome) === kind)
  .reduce((sum, each) => sum + each.devices, 0);

/** The figures in large print. Rates count from the statistics before. */
function figureTiles() {
  const tiles = {
    rate: tile('deliveries/s'), failed: tile('failures/s'), waiting: tile('waiting'), flight: tile('in flight'),
    batches: tile('batches/s'), p99: tile('batch, p99'), clients: tile('clients'), database: tile('database'),
  };
  let before = null;
  function update(now) {
    const span = before ? (now.at - before.at) / 1000 : 0;
    const rate = (value) => compact(span > 0 ? Math.max(0, value(now) - value(before)) / span : 0);
    const ofLanes = (name) => compact(now.lanes.reduce((sum, lane) => sum + lane[name], 0));
    tiles.rate.set(rate((each) => devicesOf(each, 'delivered')));
    tiles.failed.set(rate((each) => devicesOf(each, 'failed')));
    tiles.batches.set(rate((each) => each.batches));
    tiles.waiting.set(ofLanes('waiting'));
    tiles.flight.set(ofLanes('in_flight'));
    tiles.p99.set(now.latest_batches.length ? duration(percentile99(now.latest_batches) / 1000) : '–');
    tiles.clients.set(number(now.clients));
    tiles.database.set(now.database_bytes ? bytes(now.database_bytes - now.free_bytes) : '–');
    if (!before || span >= 0.9) before = now;
  }
  return { node: el('div', { class: 'tiles' }, Object.values(tiles).map((each) => each.node)), update };
}

/** The charts of the last hour. */
function hourCharts() {
  const areas = { stacked: true, unit: '/s' };
  const charts = {
    deliveries: chart('Deliveries a second, by outcome', [{ name: 'delivered', label: 'delivered' },
      { name: 'failed', label: 'failed' }, { name: 'not_sent', label: 'not sent' }], areas),
    providers: chart('Accepted a second, by provider', [{ name: 'apns', label: 'APNs' },
      { name: 'fcm', label: 'FCM' }, { name: 'web', label: 'browsers' }], areas),
    lanes: chart('Deliveries that wait, and in flight', [{ name: 'in_flight', label: 'in flight' },
      { name: 'bulk_waiting', label: 'bulk, waiting' },
      { name: 'interactive_waiting', label: 'interactive, waiting' }]),
    batches: chart('Time of a batch', [{ name: 'batch_p50', label: 'p50' }, { name: 'batch_p99', label: 'p99' }],
      { format: (value) => duration(value / 1000) }),
  };
  function update(history, now) {
    const first = Math.min(history.at[0] ?? now.at, now.at - MINIMUM_RANGE_MILLISECONDS);
    const from = Math.max(now.at - HOUR_MILLISECONDS, first);
    for (const each of Object.values(charts)) each.update(history.at, history, { from, to: now.at });
  }
  const cards = (...found) => cardGrid(found.map((each) => el('section', { class: 'card' }, each.node)));
  return {
    upper: cards(charts.deliveries, charts.providers), lower: cards(charts.lanes, charts.batches), update,
  };
}

/** The samples of the last hour, of which the server sends the new ones. */
function sampleHistory() {
  let values = { at: [] };
  let last = 0;
  return {
    last: () => last,
    values: () => values,
    merge(next) {
      // The server has begun again.
      if (next.last < last) values = { at: [] };
      for (const [name, added] of Object.entries(next)) {
        if (Array.isArray(added)) values[name] = [...(values[name] ?? []), ...added].slice(-MAXIMUM_SAMPLES);
      }
      last = next.last;
    },
  };
}

/** The parts of the page, which `update` fills from an answer of the server and the settings, null if unknown. */
function overviewParts(context) {
  const alarms = alarmList(context);
  const about = softLine();
  const tiles = figureTiles();
  const charts = hourCharts();
  const history = sampleHistory();
  const underWay = messagesUnderWayCard();
  const nodes = nodesCard();
  const pools = poolsTable();
  const connections = connectionsTable();
  const [lanes, outcomes, requests] = [lanesCard(), outcomesCard(), requestsCard()];
  function update(answer, settings) {
    const now = answer.statistics;
    const found = answer.nodes ?? [];
    history.merge(answer.history);
    alarms.update(alarmsOf(now, { settings, badTokens: answer.token_alarms ?? [], nodes: found }));
    for (const each of [tiles, underWay, pools, lanes, outcomes, requests]) each.update(now);
    const uptime = duration(now.at - now.started_at);
    setText(about, `${now.software}, up for ${uptime}, ${number(now.kept ?? 0)} messages kept`);
    charts.update(history.values(), now);
    connections.update(answer.connections ?? []);
    nodes.update(found);
  }
  return {
    head: pageHead('Overview', about),
    nodes: [alarms.nodes, tiles.node, charts.upper, underWay.node, nodes.node, charts.lower,
      card('Connections to providers', pools.node, connections.nodes),
      cardGrid(lanes.node, outcomes.node, requests.node)].flat(),
    last: history.last,
    update,
  };
}

/** The error of the overview as a sentence. */
function errorText(problem) {
  if (problem.code !== 'FORBIDDEN') return sentence(problem);
  return 'The overview needs the role observe or admin for all apps (*). Messages and Look up are there for your apps.';
}

function show(main, { signal, context }) {
  const error = errorLine();
  const parts = overviewParts(context);
  let settings = null;
  main.append(parts.head, error, ...parts.nodes);
  api('settings').then((found) => { settings = found; }).catch(() => {});
  pollWithErrors(signal, error, async () => {
    const answer = await api('overview', { after: parts.last() }, { poll: true, signal });
    setText(error, '');
    parts.update(answer, settings);
  }, errorText);
}

export default { title: 'Overview', show };
