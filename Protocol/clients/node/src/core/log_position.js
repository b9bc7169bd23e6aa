/**
 * The position in the log of a cluster that a client has seen (CONTRACT.md, POS).
 *
 * @module
 */

/** The greatest position that was seen (CONTRACT.md, POS-2): `cluster` and `number`. */
export class LogPosition {
  /** @type {{ cluster: string, number: bigint }|undefined} */
  seen = undefined;

  /**
   * Keeps the position that a node has sent, and passes it on to another node.
   *
   * @param {import('./session.js').Session} session
   * @param {bigint} number
   * @param {import('./session.js').Session|undefined} current the session for new requests
   */
  reported(session, number, current) {
    if (this.#keepIfNewer({ cluster: session.cluster, number }) && current !== session) this.send(current);
  }

  /**
   * Keeps a position that the program has from another client.
   *
   * @param {{ cluster: string, number: bigint }} seen
   * @param {import('./session.js').Session|undefined} current the session for new requests
   */
  readAfter(seen, current) {
    if (current?.phase === 'open' && current.cluster !== seen.cluster) return;
    if (this.#keepIfNewer(seen)) this.send(current);
  }

  /** Keeps a position that is greater, or of another cluster. */
  #keepIfNewer({ cluster, number }) {
    if (this.seen?.cluster === cluster && this.seen.number >= number) return false;
    this.seen = { cluster, number };
    return true;
  }

  /**
   * Tells a node of the same cluster the position, before the next requests.
   *
   * @param {import('./session.js').Session|undefined} session
   */
  send(session) {
    if (this.seen !== undefined && session?.cluster === this.seen.cluster) session.sendPosition(this.seen.number);
  }
}
