/** A server of a few lines on loopback, for tests of the public methods. */
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { ACK, CONTROL, HEADER_SIZE, frame, getHeader } from '../../src/codec/layout.js';
import { BY_OPCODE, PING_OPCODE } from '../../src/codec/messages.js';
import { Reader } from '../../src/codec/wire.js';
import { HELLO, PREFACE, answer } from './test_shell.js';

/** Answers HELLO, AUTH and PING itself; `onRequest` gives the fields of other answers, undefined for none. */
export class ScriptedServer {
  static async start(hello = {}) {
    const server = new ScriptedServer();
    server.hello = { ...HELLO, ...hello };
    server.keys = [];
    server.sockets = new Set();
    server.onRequest = () => undefined;
    server.listener = createServer((socket) => server.#serve(socket));
    server.listener.listen(0, '127.0.0.1');
    await once(server.listener, 'listening');
    server.address = `127.0.0.1:${server.listener.address().port}`;
    return server;
  }

  #serve(socket) {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => {});
    let data = Buffer.alloc(0);
    let isGreeted = false;
    socket.on('data', (chunk) => {
      data = Buffer.concat([data, chunk]);
      if (!isGreeted && data.length >= 16) {
        isGreeted = true;
        data = data.subarray(16);
        socket.write(PREFACE);
      }
      while (isGreeted && data.length >= HEADER_SIZE) {
        const header = getHeader(data, 0);
        const end = HEADER_SIZE + header.length;
        if (data.length < end) return;
        this.#answer(socket, header, data.subarray(HEADER_SIZE, end));
        data = data.subarray(end);
      }
    });
  }

  #answer(socket, { kind, opcode, id }, payload) {
    if (kind === CONTROL) {
      socket.write(frame({ kind: CONTROL, flags: ACK, opcode: PING_OPCODE }, payload));
      return;
    }
    const { name, request } = BY_OPCODE.get(opcode);
    const fields = request.read(new Reader(true).attach(payload), () => {});
    if (name === 'auth') this.keys.push(Buffer.from(fields.credential).toString());
    const found = name === 'hello' ? this.hello : name === 'auth' ? { principal: 'test', grants: [] }
      : this.onRequest(name, fields);
    if (found !== undefined) socket.write(answer(name, id, found));
  }

  /** Ends all connections. */
  drop() {
    for (const socket of this.sockets) socket.destroy();
  }

  async stop() {
    this.drop();
    this.listener.close();
    await once(this.listener, 'close');
  }
}
