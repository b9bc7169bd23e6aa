/**
 * A connection with its address.
 *
 * @module
 */

/** A connection, from the attempt to its end. */
export class Connection {
  /**
   * @param {import('./server_selection.js').Target} target
   * @param {import('./session.js').Session} session
   * @param {number} givesUpAt when the attempt to open it has failed
   */
  constructor(target, session, givesUpAt) {
    this.target = target;
    this.session = session;
    this.givesUpAt = givesUpAt;
    this.hasOpened = false;
    this.hasEnded = false;
    /** Subscriptions by the id of their SUBSCRIBE_EVENTS. */
    this.subscriptions = new Map();
    session.connection = this;
  }

  get address() {
    return this.target.address.text;
  }
}
