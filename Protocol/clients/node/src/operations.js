/**
 * The operations of the protocol as methods. `index.d.ts` describes their arguments and answers.
 *
 * @module
 */
import { setTimeout as pause } from 'node:timers/promises';
import { CarillonError, invalidArgument } from './errors.js';
import { Members, checkMembers } from './options.js';
import { METHODS } from './plans.js';

/** Makes one call. Symbols keep it out of the way of programs. */
export const CALL = Symbol('call');

/** How a page names the place of the next one, and its rows. */
const LISTINGS = {
  memberships: ['after', 'topics'], quarantinedDevices: ['cursor', 'devices'],
  groupDevices: ['cursor', 'devices'], groups: ['after', 'groups'], groupTopics: ['after', 'topics'],
  topics: ['after', 'topics'], topicDevices: ['cursor', 'devices'], messageOutcomes: ['cursor', 'recipients'],
  messages: ['before', 'messages'], receiptDevices: ['cursor', 'devices'], devices: ['cursor', 'devices'],
  channels: ['after', 'channels'],
};
const WAIT_OPTIONS = new Members(['timeout', 'signal']);
const FIRST_WAIT_MS = 20;
const MAXIMUM_WAIT_MS = 2000;
const FINISH_TIMEOUT_MS = 60_000;

/** The operations that concern one app. */
export class AppOperations {
  /**
   * @abstract
   * @param {import('./plans.js').Method} method
   * @param {any} request
   * @param {any} options
   * @param {{app?: string}} [own] the app, if that is not a member of the request
   * @returns {Promise<any>}
   */
  [CALL](method, request, options, own) {
    throw new TypeError(`${method}, ${request}, ${options}, ${own}`);
  }

  /** Registers a device (§7.1). */
  register(request, options) {
    return this[CALL](METHODS.register, request, options);
  }

  /** Registers many devices in one step (§7.2). */
  registerBatch(request, options) {
    return this[CALL](METHODS.registerBatch, request, options);
  }

  /** Removes a device (§7.3). */
  unregister(request, options) {
    return this[CALL](METHODS.unregister, request, options);
  }

  /** Looks a device up (§7.4). */
  lookup(request, options) {
    return this[CALL](METHODS.lookup, request, options);
  }

  /** Changes a device (§7.5). */
  updateDevice(request, options) {
    return this[CALL](METHODS.updateDevice, request, options);
  }

  /** The groups of a device and a page of its topics (§7.6). */
  memberships(request, options) {
    return this[CALL](METHODS.memberships, request, options);
  }

  /** Takes a device out of quarantine (§7.7). */
  restore(request, options) {
    return this[CALL](METHODS.restore, request, options);
  }

  /** A page of the quarantined devices (§7.8). */
  quarantinedDevices(request, options) {
    return this[CALL](METHODS.quarantinedDevices, request, options);
  }

  /** Devices join a group (§8.1). */
  join(request, options) {
    return this[CALL](METHODS.join, request, options);
  }

  /** Devices leave a group (§8.2). */
  leave(request, options) {
    return this[CALL](METHODS.leave, request, options);
  }

  /** A device leaves one group and joins another (§8.3). */
  switch(request, options) {
    return this[CALL](METHODS.switch, request, options);
  }

  /** A page of the devices of a group (§8.4). */
  groupDevices(request, options) {
    return this[CALL](METHODS.groupDevices, request, options);
  }

  /** A page of the groups (§8.5). */
  groups(request, options) {
    return this[CALL](METHODS.groups, request, options);
  }

  /** The number of devices of a group (§8.6). */
  groupSize(request, options) {
    return this[CALL](METHODS.groupSize, request, options);
  }

  /** Mutes a group, or ends that (§8.6). */
  setGroupMuted(request, options) {
    return this[CALL](METHODS.setGroupMuted, request, options);
  }

  /** A page of the topics of a group (§8.7). */
  groupTopics(request, options) {
    return this[CALL](METHODS.groupTopics, request, options);
  }

  /** Subscribes devices and groups to topics (§9.1). */
  subscribe(request, options) {
    return this[CALL](METHODS.subscribe, request, options);
  }

  /** Ends such subscriptions (§9.1). */
  unsubscribe(request, options) {
    return this[CALL](METHODS.unsubscribe, request, options);
  }

  /** A page of the topics (§9.2). */
  topics(request, options) {
    return this[CALL](METHODS.topics, request, options);
  }

  /** A page of the devices of a topic (§9.3). */
  topicDevices(request, options) {
    return this[CALL](METHODS.topicDevices, request, options);
  }

  /** Counts the devices of a condition (§9.4). */
  explain(request, options) {
    return this[CALL](METHODS.explain, request, options);
  }

  /** Sends a message (§10.1). `audience` is required; everybody is `Audience.allDevices()`. */
  send(request, options) {
    return this[CALL](METHODS.send, request, options);
  }

  /** The state of a message (§10.2). */
  messageStatus(request, options) {
    return this[CALL](METHODS.messageStatus, request, options);
  }

  /** A page of the outcomes of a message (§10.3). */
  messageOutcomes(request, options) {
    return this[CALL](METHODS.messageOutcomes, request, options);
  }

  /** A page of the messages (§10.5). */
  messages(request, options) {
    return this[CALL](METHODS.messages, request, options);
  }

  /** Cancels, pauses, resumes or paces a message (§10.6). */
  updateMessage(request, options) {
    return this[CALL](METHODS.updateMessage, request, options);
  }

  /** Sends a message again to devices with some outcomes (§10.7). */
  resend(request, options) {
    return this[CALL](METHODS.resend, request, options);
  }

  /** Why a device did or did not get a message (§10.8). */
  trace(request, options) {
    return this[CALL](METHODS.trace, request, options);
  }

  /** Reports that pushes were received or opened (§12.1). */
  reportReceipts(request, options) {
    return this[CALL](METHODS.reportReceipts, request, options);
  }

  /** A page of the devices with a receipt (§12.2). */
  receiptDevices(request, options) {
    return this[CALL](METHODS.receiptDevices, request, options);
  }

  /** A page of all devices of an app (§13.2). */
  devices(request, options) {
    return this[CALL](METHODS.devices, request, options);
  }

  /** Creates a broadcast channel (§14.1). It is not repeated after a lost answer: APNs would create another one. */
  createChannel(request, options) {
    return this[CALL](METHODS.createChannel, request, options);
  }

  /** What APNs stores of the messages of a broadcast channel (§14.2). */
  channel(request, options) {
    return this[CALL](METHODS.channel, request, options);
  }

  /** A page of the broadcast channels (§14.3). */
  channels(request, options) {
    return this[CALL](METHODS.channels, request, options);
  }

  /** Deletes a broadcast channel for ever (§14.4). */
  deleteChannel(request, options) {
    return this[CALL](METHODS.deleteChannel, request, options);
  }

  /**
   * All pages of a listing, from the one that the request names. It ends by `next` (CONTRACT.md, EVT-12).
   *
   * @param {string} listing the name of its method
   * @param {any} request
   * @param {any} [options] of each call
   */
  async* pages(listing, request, options) {
    const [place] = placeOf(listing);
    let next = { ...request };
    for (;;) {
      const page = await this[listing](next, options);
      yield page;
      if (!page.next) return;
      next = { ...next, [place]: page.next };
    }
  }

  /**
   * All rows of a listing.
   *
   * @param {string} listing the name of its method
   * @param {any} request
   * @param {any} [options] of each call
   */
  async* rows(listing, request, options) {
    const [, rows] = placeOf(listing);
    for await (const page of this.pages(listing, request, options)) yield* page[rows];
  }

  /**
   * Waits until every device of a message has its outcome (TYP-4).
   *
   * @param {{app?: string, messageId: bigint}} request
   * @param {{timeout?: number, signal?: AbortSignal}} [options] `timeout` bounds the whole wait; 60 s if absent
   */
  async waitUntilFinished(request, options = {}) {
    checkMembers(options, WAIT_OPTIONS);
    const { timeout = FINISH_TIMEOUT_MS, signal } = options;
    const deadline = performance.now() + timeout;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(MAXIMUM_WAIT_MS, 2 * wait)) {
      const left = deadline - performance.now();
      if (left <= wait) throw unfinished();
      await pause(wait, undefined, { signal }).catch((cause) => {
        throw new CarillonError('CANCELLED', 'the wait was cancelled', { retryAfter: 0, cause });
      });
      const status = await this.messageStatus(request, { timeout: left - wait, ...(signal ? { signal } : {}) });
      if (status.state === 'finished') return status;
    }
  }
}

function placeOf(listing) {
  if (!Object.hasOwn(LISTINGS, listing)) throw invalidArgument('listing', `${listing} is not a listing`);
  return LISTINGS[listing];
}

function unfinished() {
  return new CarillonError('NO_ANSWER', 'the message has not finished in time', { retryAfter: 0 });
}

/** All operations. */
export class Operations extends AppOperations {
  /** The state of the server (§13.1). */
  statistics(request = {}, options = undefined) {
    return this[CALL](METHODS.statistics, request, options);
  }

  /** Ends the incarnation of a node of the cluster at once (§13.3). */
  removeNode(request, options) {
    return this[CALL](METHODS.removeNode, request, options);
  }

  /** Removes a name of event subscriptions (§11.5). */
  forgetSubscriber(request, options) {
    return this[CALL](METHODS.forgetSubscriber, request, options);
  }
}

/** The operations of one app; requests have no `app`. */
export class App extends AppOperations {
  #client;
  #own;

  /**
   * @param {Operations} client
   * @param {string} name
   */
  constructor(client, name) {
    super();
    this.#client = client;
    this.#own = Object.freeze({ app: name });
    /** The app. */
    this.name = name;
  }

  [CALL](method, request, options) {
    if (typeof request === 'object' && request !== null && 'app' in request) {
      return Promise.reject(invalidArgument('app', `this object sends to ${this.name}`));
    }
    return this.#client[CALL](method, method === METHODS.registerBatch ? this.#withApp(request) : request, options,
      this.#own);
  }

  #withApp(request) {
    if (!Array.isArray(request?.items)) return request;
    return { ...request, items: request.items.map((item) => ({ app: this.name, ...item })) };
  }
}
