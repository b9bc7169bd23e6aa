/**
 * The same with Debian's node-redis and values of 100 bytes, for comparison:
 * `NODE_PATH=/usr/share/nodejs redis.js PORT [SECONDS [IN_FLIGHT [PER_SECOND [MIXED_PER_SECOND]]]]`.
 *
 * `get` and `set` are made as fast as they are answered. With PER_SECOND, `paced` makes that number of GETs a
 * second; with MIXED_PER_SECOND, `paced_mixed` does.
 */
import { createRequire } from 'node:module';
import process from 'node:process';
import { measure, measurePaced, options } from './measure.js';

const [port, seconds, inFlight, ...paces] = process.argv.slice(2);
const round = options([seconds, inFlight].filter((word) => word !== undefined));
const { createClient } = createRequire(import.meta.url)('redis');
const client = createClient({ socket: { host: '127.0.0.1', port: Number(port) } });
await client.connect();
const value = 'x'.repeat(100);
await client.set('key', value);
const get = () => client.get('key');
await measure('node-redis.get', round, get);
await measure('node-redis.set', round, () => client.set('key', value));
for (const [index, perSecond] of paces.slice(0, 2).entries()) {
  const name = ['node-redis.paced', 'node-redis.paced_mixed'][index];
  await measurePaced(name, { ...round, perSecond: Number(perSecond) }, get);
}
await client.quit();
