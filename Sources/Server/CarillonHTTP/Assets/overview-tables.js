// The tables of the overview. Each has its node and `update`.
import {
  el, card, table, tableRow, fillLastCells, updateRows, setText, number, compact, duration, bytes, share, showChip,
  softLine, emptyLine, messageLink, progressBar,
} from './dom.js';
import { SILENT_MILLISECONDS } from './alarms.js';

/** The maximum of connections that are listed. */
const MAXIMUM_LISTED_CONNECTIONS = 50;
/** The maximum of requests that are listed. */
const MAXIMUM_LISTED_REQUESTS = 12;

/** The messages that are being sent. */
export function messagesUnderWayCard() {
  const list = table('Messages under way', ['Message', 'App', 'Lane', 'Progress', '#Ended', '#Rate', '#Time left']);
  const idle = emptyLine('No message is being sent.');
  const create = (each) => tableRow([messageLink(each.app, each.message_id), each.app, each.lane,
    progressBar(each.message_id), '#', '#', '#']);
  function update(now) {
    idle.hidden = now.sending.length > 0;
    list.node.hidden = now.sending.length === 0;
    updateRows(list.body, now.sending, (each) => each.message_id, create, (row, each) => {
      row.querySelector('progress').value = each.total ? each.ended / each.total : 0;
      const left = each.rate ? duration((each.total - each.ended) / each.rate * 1000) : '–';
      fillLastCells(row, [`${number(each.ended)} of ${number(each.total)}`, `${number(each.rate)}/s`, left]);
    });
  }
  return { node: card('Messages under way', idle, list.node), update };
}

/** The nodes as this node saw them last. It knows only its own lease. */
export function nodesCard() {
  const list = table('Nodes',
    ['Node', 'State', '#Position', '#Lag', '#Heard of', '#Lease left', 'Address', 'Version']);
  const node = card('Nodes of the cluster', list.node);
  node.hidden = true;
  const create = (each) => tableRow([each.is_this ? el('strong', {}, `${each.node} (this node)`) : each.node,
    el('span'), '#', '#', '#', '#', '', '']);
  function stateOf(each) {
    if (!each.is_live) return ['over', ''];
    return each.silence_ms > SILENT_MILLISECONDS ? ['silent', 'bad'] : ['live', 'done'];
  }
  function update(nodes) {
    node.hidden = nodes.length === 0;
    updateRows(list.body, nodes, (each) => each.node, create, (row, each) => {
      showChip(row.cells[1], ...stateOf(each));
      fillLastCells(row, [number(each.position), number(each.lag_entries), `${duration(each.silence_ms)} ago`,
        each.lease_ms === undefined ? '–' : duration(each.lease_ms), each.address || '–', each.version || '–']);
    });
  }
  return { node, update };
}

/** The pools: their connections, and the answers of their providers. */
export function poolsTable() {
  const list = table('Connections by credential', ['Credential', 'State', '#Open', '#Opening', '#Draining',
    '#In flight', '#Streams', '#Throttle', '#Attempts', 'Answers']);
  const create = (each) => tableRow([`${each.credential} / ${each.environment}`, el('span'),
    '#', '#', '#', '#', '#', '#', '#', '']);
  function stateOf(pool, failure) {
    if (pool.parked) return ['refused', 'bad'];
    if (failure?.unreachable) return ['unreachable', 'bad'];
    return pool.open ? ['connected', 'done'] : ['idle', ''];
  }
  const answerText = (each) => (
    `${each.status || 'other'}${each.reason ? ` ${each.reason}` : ''} ${compact(each.count)}`);
  function update(now) {
    const pools = now.pools.map((pool, index) => ({ ...pool, index }));
    updateRows(list.body, pools, (each) => `${each.credential}/${each.environment}`, create, (row, each) => {
      const failure = (now.failures ?? []).find((one) => one.pool === each.index);
      showChip(row.cells[1], ...stateOf(each, failure));
      const answers = now.answers.filter((one) => one.pool === each.index).map(answerText);
      fillLastCells(row, [number(each.open), number(each.opening), number(each.draining), number(each.in_flight),
        number(each.streams), each.throttle ? `${number(each.throttle)}/s` : '–', number(each.attempts),
        answers.join(', ') || '–']);
    });
  }
  return { node: list.node, update };
}

/** Each connection: the window is the bytes of bodies that the provider takes at a time, the round trip is TCP's. */
export function connectionsTable() {
  const list = table('Each open connection', ['Credential', 'Connection', '#In flight', '#Streams', '#Window',
    '#Round trip', '#Answers', '#Limit']);
  const unlisted = softLine();
  const create = (each) => tableRow([`${each.credential} / ${each.environment}`, each.connection,
    '#', '#', '#', '#', '#', '#']);
  const key = (each) => `${each.credential}/${each.environment}/${each.connection}`;
  function update(found) {
    list.node.hidden = found.length === 0;
    updateRows(list.body, found.slice(0, MAXIMUM_LISTED_CONNECTIONS), key, create, (row, each) => {
      const roundTrip = each.round_trip_micros === undefined ? '–' : duration(each.round_trip_micros / 1000);
      const maximum = each.maximum_pushes_per_second;
      const limit = maximum === undefined ? '–' : `${number(maximum)}/s`;
      fillLastCells(row, [number(each.in_flight), number(each.streams), bytes(each.window_bytes), roundTrip,
        number(each.answers), limit]);
    });
    const others = found.length - MAXIMUM_LISTED_CONNECTIONS;
    setText(unlisted, others > 0
      ? `${number(others)} more connections are not listed; the metrics have all of them.` : '');
  }
  return { nodes: [list.node, unlisted], update };
}

export function lanesCard() {
  const list = table('Lanes', ['Lane', '#Messages', '#Waiting', '#Delayed', '#In flight']);
  const create = (each) => tableRow([each.lane, '#', '#', '#', '#']);
  function update(now) {
    updateRows(list.body, now.lanes, (each) => each.lane, create, (row, each) => fillLastCells(row,
      [number(each.messages), number(each.waiting), number(each.delayed), number(each.in_flight)]));
  }
  return { node: card('Lanes', list.node), update };
}

export function outcomesCard() {
  const list = table('Outcomes since the start', ['Outcome', '#Devices', '#Share']);
  const create = (each) => tableRow([String(each.outcome), '#', '#']);
  function update(now) {
    const ended = now.outcomes.reduce((sum, each) => sum + each.devices, 0);
    updateRows(list.body, now.outcomes, (each) => each.outcome, create, (row, each) => fillLastCells(row,
      [number(each.devices), share(each.devices, ended)]));
  }
  return { node: card('Outcomes since the start', list.node), update };
}

export function requestsCard() {
  const list = table('Requests since the start', ['Request', 'Result', '#Count', '#Mean time']);
  const create = (each) => tableRow([String(each.opcode), each.code ?? 'ok', '#', '#']);
  function update(now) {
    const listed = now.requests.slice(0, MAXIMUM_LISTED_REQUESTS);
    updateRows(list.body, listed, (each) => `${each.opcode} ${each.code}`, create, (row, each) => fillLastCells(row,
      [number(each.count), duration(each.micros / each.count / 1000)]));
  }
  return { node: card('Requests since the start', list.node), update };
}
