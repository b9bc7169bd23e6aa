/** The client against the real server: 1,000 messages at once while it is stopped, and while it is killed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, Notification } from '../src/index.js';

const MESSAGES = 1000;
const SKIP = process.env.CARILLON_PROGRAMS === undefined && 'CARILLON_PROGRAMS is not set';
const SCRIPT = fileURLToPath(new URL('support/deployment.py', import.meta.url));

/** A server and a simulator; `ask` sends a command and returns its line. */
class Deployment {
  static async start() {
    const deployment = new Deployment();
    deployment.process = spawn('python3', ['-B', SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
    deployment.lines = createInterface({ input: deployment.process.stdout })[Symbol.asyncIterator]();
    Object.assign(deployment, await deployment.read());
    return deployment;
  }

  async read() {
    const { value, done } = await this.lines.next();
    assert.ok(!done, 'the deployment has ended');
    return JSON.parse(value);
  }

  async ask(command) {
    this.process.stdin.write(`${command}\n`);
    return this.read();
  }

  async stop() {
    this.process.stdin.end();
    await new Promise((resolve) => this.process.once('exit', resolve));
  }
}

/** Sends all messages at once, ends the server with the signal when some are answered, and starts it again. */
async function sendThroughRestart(signal) {
  const deployment = await Deployment.start();
  const states = [];
  const client = await Client.connect({ addresses: `127.0.0.1:${deployment.port}`, apiKey: deployment.key,
    maximumInFlight: 64, requestTimeout: 60_000, onState: ({ state }) => states.push(state) });
  try {
    const app = client.app(deployment.app);
    const tokens = Array.from({ length: MESSAGES }, (_, index) => (index + 1).toString(16).padStart(64, '0'));
    await app.registerBatch({ items: tokens.map((token) => ({ token, seenAt: new Date() })) });
    let answered = 0;
    let restarted;
    const sent = await Promise.all(tokens.map(async (token, index) => {
      const answer = await app.send({ audience: { devices: [{ token }] }, label: `message ${index}`,
        payload: new Notification({ body: `number ${index}` }) });
      if (++answered === MESSAGES / 5) {
        process.kill(deployment.pid, signal);
        restarted = deployment.ask('restart');
      }
      return answer;
    }));
    await restarted;
    assert.ok(states.filter((state) => state === 'connected').length > 1, 'the server has ended while calls waited');
    const ids = new Map(sent.map(({ messageId, total }, index) => {
      assert.equal(total, 1);
      return [messageId, `message ${index}`];
    }));
    assert.equal(ids.size, MESSAGES, 'each call has a message of its own');
    const rows = [];
    for await (const row of app.rows('messages', { limit: 300 })) rows.push([row.messageId, row.label]);
    assert.deepEqual(new Map(rows), ids, 'the server has the messages of the answers');
    assert.equal(rows.length, MESSAGES, 'and no other ones');
    await Promise.all([...ids.keys()].map(async (messageId) => {
      const { outcomes } = await app.waitUntilFinished({ messageId });
      assert.deepEqual(outcomes, [{ outcome: 'delivered', devices: 1 }]);
    }));
    const { pushes } = await deployment.ask('pushes');
    const counts = tokens.map((token) => pushes[token]);
    // What a crash finds on its way to APNs is delivered again; an orderly stop waits for the answers.
    if (signal === 'SIGTERM') assert.deepEqual(new Set(counts), new Set([1]));
    else assert.ok(counts.every((count) => count >= 1));
    return sent.filter(({ duplicate }) => duplicate).length;
  } finally {
    await client.close();
    await deployment.stop();
  }
}

for (const signal of ['SIGTERM', 'SIGKILL']) {
  test(`1,000 messages are accepted once each through ${signal}`, { skip: SKIP }, async (context) => {
    const duplicates = await sendThroughRestart(signal);
    context.diagnostic(`${duplicates} answers were repetitions of a lost one`);
  });
}
