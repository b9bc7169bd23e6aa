/** Programs that must compile, and others that must not. Checked by tsc, never run. */
import {
  Audience, CarillonError, Client, ErrorCode, NO_LIMIT, Notification, Outcome, StateReport, fromEnvironment,
} from 'carillon-client';

export async function program(token: Uint8Array): Promise<bigint> {
  const client = await Client.connect({ ...fromEnvironment(), maximumAttempts: 3, onState: (state: StateReport) => {
    if (state.state === 'failed') void state.error.causes;
  } });
  const app = client.app('com.example.game');
  const { messageId }: { messageId: bigint } = await app.send({
    audience: { topic: 'raids' }, payload: new Notification({ body: 'Hi' }), bodies: { de: { body: 'Hallo' } },
    sendAt: new Date(), key: '00112233-4455-6677-8899-aabbccddeeff',
  });
  await client.send({ app: 'a', audience: Audience.allDevices(), payload: '{}', bodies: { de: '{}' }, dryRun: true });
  await client.send({
    app: 'a', audience: { devices: [{ id: 7n }, { token }] }, bodies: { de: { a: 1n } }, noKey: true,
  });
  await client.resend({ app: 'a', messageId, notAfter: NO_LIMIT, outcomes: ['gave-up'] });
  for await (const row of app.rows('messages', { state: 'finished' })) void row.label?.length;
  for await (const page of client.pages('topics', { app: 'a' })) void page.topics[0]?.devices.toFixed();
  for await (const element of await client.events({ name: 'ops', kinds: ['message-finished'], start: 7n })) {
    if (element.type === 'event') void element.count?.toFixed();
    else if (element.type === 'gap') void (element.missedTo - element.missedFrom);
  }
  const { outcomes } = await app.waitUntilFinished({ messageId }, { timeout: 5 });
  const first: Outcome | number | undefined = outcomes[0]?.outcome;
  void first;
  const { results } = await app.registerBatch({ items: [{ token: 'ab', seenAt: Date.now() }] });
  for (const each of results) void (each.code === undefined ? each.deviceId : each.code.length);
  await app.join({ group: 'g', devices: [{ id: 1n }], announcement: new Notification({ title: 'x' }) });
  await app.subscribe({ topics: ['a'], groups: ['g'] });
  try {
    await client.lookup({ app: 'a', device: { id: 7n } }, { timeout: 5, retry: false });
  } catch (error) {
    if (error instanceof CarillonError) {
      const code: ErrorCode = error.code;
      const pause: number | undefined = error.retryAfter;
      void [code, pause, error.isSafeToRetry];
    }
  }
  return messageId;
}

export async function mistakes(client: Client): Promise<void> {
  const app = client.app('a');
  const payload = new Notification({ body: 'x' });
  // @ts-expect-error an audience is required
  await app.send({ payload });
  // @ts-expect-error everybody is said explicitly
  await app.send({ audience: {}, payload });
  // @ts-expect-error everybody is said explicitly
  await app.send({ audience: { all: true }, payload });
  // @ts-expect-error two audiences
  await app.send({ audience: { topic: 'a', groups: ['b'] }, payload });
  // @ts-expect-error a mistyped option
  await app.send({ audience: { topic: 'a' }, payload, dryrun: true });
  // @ts-expect-error undefined is not absent
  await app.send({ audience: { topic: 'a' }, payload, dryRun: undefined });
  // @ts-expect-error no payload
  await app.send({ audience: { topic: 'a' } });
  // @ts-expect-error a key and none
  await app.send({ audience: { topic: 'a' }, payload, key: 'x', noKey: true });
  // @ts-expect-error translations belong to a Notification
  await app.send({ audience: { topic: 'a' }, payload, bodies: { de: '{}' } });
  // @ts-expect-error the app is named by the object
  await app.lookup({ app: 'b', device: { id: 1n } });
  // @ts-expect-error an app is required
  await client.lookup({ device: { id: 1n } });
  // @ts-expect-error ids are bigints
  await app.lookup({ device: { id: 1 } });
  // @ts-expect-error no such name
  await app.updateMessage({ messageId: 1n, action: 'stop' });
  // @ts-expect-error no such field
  void new Notification({ bdy: 'x' });
  // @ts-expect-error no such option
  void new Client({ addresses: 'a:1', timeout: 5 });
  // @ts-expect-error neither devices nor groups
  await app.subscribe({ topics: ['a'] });
  // @ts-expect-error no such listing
  for await (const page of client.pages('lookup', { app: 'a' })) void page;
}
