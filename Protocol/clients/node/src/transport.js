/**
 * The socket of one connection: names, TCP, TLS, then bytes (CONTRACT.md, ADR-7, TLS, PIP-3).
 *
 * @module
 */
import { Buffer } from 'node:buffer';
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { connect as connectSocket, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isLoopback } from './addresses.js';
import { CarillonError, cannotConnect, connectionLostError } from './errors.js';

/** How long a resolved address may take before the next one is tried as well (RFC 8305). */
const STAGGER_MS = 250;
/** How long the other side may take to end the connection after this one has. */
const CLOSE_TIMEOUT_MS = 1000;
const ALPN = ['carillon/1'];
const READ_SIZE = 1 << 16;

/** Moves the bytes of a connection. */
export class Transport {
  /**
   * @param {import('./core/connection.js').Connection} connection
   * @param {import('./options.js').Options} options
   * @param {import('./core/call_dispatcher.js').CallDispatcher} dispatcher
   */
  constructor(connection, options, dispatcher) {
    this.connection = connection;
    this.options = options;
    this.dispatcher = dispatcher;
    this.socket = undefined;
    /** Sockets of which the first to connect is taken. */
    this.candidates = new Set();
    this.isReady = false;
    this.isBlocked = false;
    this.isClosed = false;
    this.isReferenced = true;
    /** Fulfilled when the socket is closed. */
    this.closed = new Promise((resolve) => {
      this.resolveClosed = resolve;
    });
  }

  /** Connects. Tells the dispatcher of a failure, as of the end of the connection. */
  async start() {
    const { address } = this.connection.target;
    try {
      const tls = this.options.hasTls(address) ? await this.#tlsOptions(address) : undefined;
      const socket = await this.#connected(address, tls !== undefined);
      if (this.isClosed) socket?.destroy();
      else if (tls === undefined) this.#ready(socket);
      else this.#secure(socket, tls);
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error) {
    if (this.isClosed) return;
    const isOwn = error instanceof CarillonError;
    const reported = isOwn ? error : cannotConnect(error.message, { cause: error });
    this.dispatcher.ended(this.connection, reported, performance.now());
  }

  async #tlsOptions(address) {
    const { ca, caFile, certificateFile, certificateKeyFile, serverName } = this.options;
    const file = (path) => (path === undefined ? undefined : readFile(path));
    const [caOfFile, cert, key] = await Promise.all([file(caFile), file(certificateFile), file(certificateKeyFile)]);
    const name = serverName ?? address.host;
    return { ca: ca ?? caOfFile, cert, key, host: name, servername: isIP(name) ? undefined : name,
      minVersion: /** @type {const} */ ('TLSv1.2'), ALPNProtocols: ALPN };
  }

  /** The socket of the first address that connects. */
  async #connected(address, isSecure) {
    const reading = isSecure ? {} : this.#reading();
    if (address.path !== undefined) return this.#race([{ path: address.path, ...reading }]);
    let hosts = [address.host];
    if (!address.isLiteral) {
      hosts = (await lookup(address.host, { all: true, verbatim: true })).map((found) => found.address);
    }
    const mayLeave = isSecure || this.options.security === 'plaintext_anywhere';
    const allowed = hosts.filter((host) => mayLeave || isLoopback(host));
    if (allowed.length === 0) throw cannotConnect('plaintext is refused: the address is not on this machine');
    return this.#race(alternate(allowed).map((host) => ({ host, port: address.port, noDelay: true, ...reading })));
  }

  /** Lets a socket without TLS read into one buffer, without the memory and the steps of a stream for each read. */
  #reading() {
    const received = (size, buffer) => {
      this.#received(buffer.subarray(0, size));
      return true;
    };
    return { onread: { buffer: Buffer.allocUnsafeSlow(READ_SIZE), callback: received } };
  }

  #received(chunk) {
    this.dispatcher.received(this.connection, chunk, performance.now());
  }

  /** Connects to the next endpoint when the one before has failed, or has not answered for a while. */
  #race(endpoints) {
    return new Promise((resolve, reject) => {
      let next = 0;
      let timer;
      let failure;
      const begin = () => {
        clearTimeout(timer);
        if (this.isClosed || next === endpoints.length) return;
        const socket = connectSocket(endpoints[next++]);
        this.candidates.add(socket);
        if (next < endpoints.length) timer = setTimeout(begin, STAGGER_MS);
        socket.once('error', (error) => {
          failure = error;
          this.candidates.delete(socket);
          if (next < endpoints.length) begin();
          else if (this.candidates.size === 0) reject(failure);
        });
        socket.once('connect', () => {
          clearTimeout(timer);
          socket.removeAllListeners('error');
          this.candidates.delete(socket);
          for (const other of this.candidates) discard(other);
          this.candidates.clear();
          next = endpoints.length;
          resolve(socket);
        });
      };
      begin();
    });
  }

  #secure(socket, tls) {
    const secured = connectTls({ ...tls, socket });
    this.socket = secured;
    secured.once('error', (error) => {
      if (this.isReady) return;
      const isUntrusted = Boolean(secured.authorizationError);
      this.#failed(isUntrusted ? new CarillonError('UNTRUSTED', error.message, { cause: error }) : error);
    });
    secured.once('end', () => this.isReady || this.#failed(new Error('the server has ended the TLS handshake')));
    secured.once('secureConnect', () => this.isClosed || this.#ready(secured));
  }

  #ready(socket) {
    this.socket = socket;
    this.isReady = true;
    let failure;
    if (socket.encrypted) socket.on('data', (chunk) => this.#received(chunk));
    socket.on('drain', () => {
      this.isBlocked = false;
      this.dispatcher.shell.wake();
    });
    socket.on('error', (error) => {
      failure = connectionLostError(error.message).with({ cause: error });
    });
    const ended = () => this.dispatcher.ended(this.connection, failure, performance.now());
    socket.on('end', ended);
    socket.on('close', ended);
    if (!this.isReferenced) socket.unref();
    this.dispatcher.shell.wake();
  }

  /** Writes what waits, as much at a time as the socket takes. */
  flush(now) {
    const { session } = this.connection;
    while (this.isReady && !this.isBlocked && session.hasOutput) {
      this.isBlocked = !this.socket.write(session.takeOutput(now));
    }
  }

  /** Says whether this socket keeps the process alive (CLS-4). */
  reference(isReferenced) {
    if (this.isReferenced === isReferenced) return;
    this.isReferenced = isReferenced;
    if (this.isReady) this.socket[isReferenced ? 'ref' : 'unref']();
  }

  /**
   * Ends the connection; TLS says so to the server (TLS-3).
   *
   * @param {boolean} isOrderly wait for the server's end
   */
  close(isOrderly) {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const candidate of this.candidates) discard(candidate);
    const { socket } = this;
    if (socket === undefined || socket.destroyed) {
      this.resolveClosed();
      return;
    }
    const timer = setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS);
    socket.removeAllListeners('data');
    socket.on('error', () => {});
    socket.once('close', () => {
      clearTimeout(timer);
      this.resolveClosed();
    });
    socket.resume();
    if (isOrderly && this.isReady) socket.end();
    else socket.destroySoon();
  }
}

/** Destroys a socket that nothing waits for. */
function discard(socket) {
  socket.removeAllListeners();
  socket.on('error', () => {});
  socket.destroy();
}

/** Addresses of both families in turn, beginning with that of the first. */
function alternate(hosts) {
  const first = hosts.filter((host) => isIP(host) === isIP(hosts[0]));
  const second = hosts.filter((host) => isIP(host) !== isIP(hosts[0]));
  return hosts.map((_, index) => [first, second][index % 2]).map((family) => family.shift() ?? first.shift()
    ?? second.shift());
}
