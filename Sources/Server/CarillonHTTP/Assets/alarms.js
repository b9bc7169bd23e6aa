// The faults that the server knows of now.
import { number, duration, timeText } from './dom.js';

/** A node is silent if nothing was heard of it for this time: three renewals of its lease. */
export const SILENT_MILLISECONDS = 3000;

/** The used share of the limit above which the server refuses messages and registrations. */
const FULL_SHARE = 0.92;
/** The used share of the limit above which the server refuses messages, but takes registrations. */
const MESSAGES_REFUSED_SHARE = 0.85;
/** The used share of the limit above which the database is said to fill. */
const FILLING_SHARE = 0.75;
/** The commits since the oldest snapshot above which its read is said to be old. */
const OLD_READ_COMMITS = 10000;
/** The days before the end of a certificate within which it is to be renewed. */
const RENEWAL_DAYS = 14;

const DAY_MILLISECONDS = 86400000;

function nodeAlarms(nodes) {
  const silent = nodes.filter((each) => each.is_live && each.silence_ms > SILENT_MILLISECONDS);
  return silent.map((node) => ['bad', `Node ${node.node} is silent`,
    `It was not heard of for ${duration(node.silence_ms)}. Others go on with its messages when it is expired.`]);
}

function tokenAlarms(alarms) {
  return alarms.map((each) => ['bad', `Many tokens of ${each.app} are called bad (${each.environment})`,
    'Find the service that registers them. It may register sandbox tokens as production, or tokens of another app '
    + 'or of another Firebase project. No device is quarantined for such a token while this lasts.']);
}

/** Why a pool has no connection, since when, and when it tries again. */
function outageText(outage, failure) {
  if (!outage) return failure.reason;
  const next = outage.next_attempt_at ? `, next attempt ${timeText(outage.next_attempt_at)}` : '';
  return `${outage.cause || 'unknown'}: ${failure.reason}. Since ${timeText(outage.began_at)}${next}.`;
}

function poolAlarms(now) {
  return now.pools.flatMap((pool) => {
    const found = [];
    const name = `${pool.credential}/${pool.environment}`;
    const isOfPool = (each) => now.pools[each.pool] === pool;
    const failure = (now.failures ?? []).find(isOfPool);
    if (pool.parked) {
      found.push(['bad', `The credential ${name} is refused`,
        'Its messages wait. Correct apps.json, then reload the server.']);
    }
    if (failure?.unreachable) {
      found.push(['bad', `No connection: ${name}`, outageText((now.outages ?? []).find(isOfPool), failure)]);
    }
    if (pool.throttle) {
      found.push(['mild', `The provider is busy: ${name}`, `At most ${number(pool.throttle)} deliveries/s for now.`]);
    }
    return found;
  });
}

function databaseAlarms(now) {
  const found = [];
  const used = now.limit_bytes ? (now.database_bytes - now.free_bytes) / now.limit_bytes : 0;
  if (used > FULL_SHARE) {
    found.push(['bad', 'The database is full',
      'Messages and registrations are refused. Raise data.limitMebibytes.']);
  } else if (used > FILLING_SHARE) {
    found.push(['mild', 'The database fills',
      `${Math.round(used * 100)} % of data.limitMebibytes are used; at ${MESSAGES_REFUSED_SHARE * 100} % messages are `
      + 'refused.']);
  }
  if (now.reader_age_commits > OLD_READ_COMMITS) {
    found.push(['mild', 'A read of the database is old',
      `It keeps pages from reuse since ${number(now.reader_age_commits)} commits.`]);
  }
  return found;
}

function certificateAlarms(now, credentials) {
  return credentials.flatMap((each) => {
    const days = each.not_after ? (each.not_after - now.at) / DAY_MILLISECONDS : Infinity;
    if (days >= RENEWAL_DAYS) return [];
    const ends = days < 0 ? 'has expired' : `expires in ${Math.floor(days)} days`;
    return [[days < 0 ? 'bad' : 'mild', `The certificate ${each.credential} ${ends}`, 'Renew it, reload.']];
  });
}

/** The alarms as lists of kind, title and text, the worst first. `settings` is null while they are not known. */
export function alarmsOf(now, { settings, badTokens, nodes }) {
  const found = [...nodeAlarms(nodes), ...tokenAlarms(badTokens), ...poolAlarms(now), ...databaseAlarms(now),
    ...certificateAlarms(now, settings?.credentials ?? [])];
  const rank = ([kind]) => (kind === 'bad' ? 0 : 1);
  return found.sort((left, right) => rank(left) - rank(right));
}
