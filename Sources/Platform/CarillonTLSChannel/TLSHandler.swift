package import CarillonTLS
package import NIOCore

/// The user event that `TLSHandler` fires inbound once the handshake is complete.
package struct TLSHandshakeCompleted: Hashable, Sendable {
    /// The negotiated application protocol; nil if none was negotiated.
    package let alpn: String?
    /// The verified certificate of the peer; nil for a server that did not ask for one, or that asked for an optional
    /// one and got none.
    package let peerCertificate: Certificate?
}

/// TLS between a channel's socket and the rest of its pipeline: ciphertext below, plaintext above.
///
/// Writes wait for the handshake and are sent on `flush`, as one buffer of ciphertext. A failure of the session is a
/// `TLSError`, which is fired through the pipeline and closes the channel; an end of the transport without close_notify
/// is the error `truncated`. The writes that wait fail with that error. If the output is closed, they and later writes
/// fail with a `ChannelError`.
package final class TLSHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// The limit of plaintext that waits for the handshake, in bytes.
    package static let maximumPendingBytes = 4 << 20
    /// The size of the buffer for each decryption, in bytes: the longest record.
    private static let readBufferBytes = 16 * 1024

    private enum State {
        /// The channel is not active yet.
        case idle
        case handshaking
        case open
        /// The peer has sent close_notify: nothing more is read. This side may still write, unless `isOutputClosed`.
        case inputClosed
        /// The handler has failed, or either side has closed: no more bytes in either direction.
        case closed
    }

    private let session: TLSSession
    private let handshakeTimeout: TimeAmount
    private var state = State.idle
    private var deadline: Scheduled<Void>?
    private var pending: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []
    private var pendingBytes = 0
    private var flushedCount = 0
    /// True if close_notify of this side is sent: nothing more is written.
    private var isOutputClosed = false
    /// True if a read was asked for, by the pipeline or for the handshake, and no plaintext was passed on since.
    private var isReadOutstanding = false

    /// Makes the server's side; it fails the connection if the handshake takes longer than `handshakeTimeout`.
    package init(server context: TLSContext, handshakeTimeout: TimeAmount = .seconds(10)) throws(TLSError) {
        session = try TLSSession(server: context)
        self.handshakeTimeout = handshakeTimeout
    }

    /// Makes the client's side; it fails the connection if the handshake takes longer than `handshakeTimeout`.
    ///
    /// - Parameter serverName: the DNS name or IP address that the server's certificate must be for.
    package init(
        client context: TLSContext,
        serverName: String,
        handshakeTimeout: TimeAmount = .seconds(10)
    ) throws(TLSError) {
        session = try TLSSession(client: context, serverName: serverName)
        self.handshakeTimeout = handshakeTimeout
    }

    // MARK: Life cycle of the channel

    package func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        end(.misuse("the TLS handler was removed"))
    }

    package func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        switch state {
        case .handshaking, .open:
            end(.truncated)
            context.fireErrorCaught(TLSError.truncated)
        case .idle, .inputClosed, .closed:
            end(.truncated)
        }
        context.fireChannelInactive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard case .idle = state else { return }
        state = .handshaking
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: handshakeTimeout) {
            self.fail(.handshakeTimedOut, on: context)
        }
        // Without automatic reads, no other handler asks for the peer's first message.
        isReadOutstanding = true
        advance(context)
        context.read()
    }

    private func fail(_ error: TLSError, on context: ChannelHandlerContext) {
        if case .closed = state { return }
        end(error)
        // The alert for the peer, if there is one.
        sendCiphertext(context, promise: nil)
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }

    private func end(_ error: TLSError) {
        state = .closed
        deadline?.cancel()
        deadline = nil
        abandonWrites(error)
    }

    private func abandonWrites(_ error: any Error) {
        let abandoned = pending
        pending = []
        pendingBytes = 0
        flushedCount = 0
        for write in abandoned { write.promise?.fail(error) }
    }

    // MARK: Inbound

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .closed = state { return }
        let ciphertext = unwrapInboundIn(data)
        do throws(TLSError) {
            try ciphertext.withUnsafeReadableBytes { bytes throws(TLSError) in
                try session.receive(ciphertext: bytes)
            }
        } catch {
            return fail(error, on: context)
        }
        advance(context)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if isReadOutstanding { context.read() }
    }

    package func read(context: ChannelHandlerContext) {
        isReadOutstanding = true
        context.read()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed = event else { return context.fireUserInboundEventTriggered(event) }
        switch state {
        case .handshaking, .open: fail(.truncated, on: context)
        // The pipeline was notified when close_notify was received.
        case .idle, .inputClosed, .closed: break
        }
    }

    /// Processes the received ciphertext as far as possible.
    private func advance(_ context: ChannelHandlerContext) {
        do throws(TLSError) {
            if case .handshaking = state { try advanceHandshake(context) }
            var mayHaveMore = true
            while mayHaveMore, case .open = state { mayHaveMore = try readOnce(context) }
        } catch {
            return fail(error, on: context)
        }
        // Handshake messages and answers to key updates.
        sendCiphertext(context, promise: nil)
    }

    private func advanceHandshake(_ context: ChannelHandlerContext) throws(TLSError) {
        guard try session.handshake() == .complete else { return }
        state = .open
        deadline?.cancel()
        deadline = nil
        sendCiphertext(context, promise: nil)
        context.fireUserInboundEventTriggered(
            TLSHandshakeCompleted(alpn: session.negotiatedALPN, peerCertificate: session.peerCertificate)
        )
        if flushedCount > 0 { sendFlushed(context) }
    }

    /// Fires one buffer of plaintext inbound. Returns true if there may be more.
    private func readOnce(_ context: ChannelHandlerContext) throws(TLSError) -> Bool {
        var plaintext = context.channel.allocator.buffer(capacity: Self.readBufferBytes)
        var result = ReadResult.wantMore
        var failure: TLSError?
        plaintext.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.readBufferBytes) { room in
            do throws(TLSError) {
                result = try session.read(into: room)
            } catch {
                failure = error
            }
            if case .bytes(let count) = result { return count }
            return 0
        }
        if let failure { throw failure }
        switch result {
        case .bytes:
            isReadOutstanding = false
            context.fireChannelRead(wrapInboundOut(plaintext))
            return true
        case .wantMore:
            return false
        case .closed:
            inputClosed(context)
            return false
        }
    }

    private func inputClosed(_ context: ChannelHandlerContext) {
        state = .inputClosed
        isReadOutstanding = false
        // Why try?: a channel that does not know the option has no half-closure.
        let allowsHalf = try? context.channel.syncOptions?.getOption(.allowRemoteHalfClosure)
        if allowsHalf == true {
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        } else {
            close(context: context, mode: .all, promise: nil)
        }
    }

    // MARK: Outbound

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isOutputClosed {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        if case .closed = state {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        let bytes = unwrapOutboundIn(data)
        pending.append((bytes, promise))
        pendingBytes += bytes.readableBytes
        // The writer bounds the bytes that wait for a flush: it knows when the peer takes them. A dropped write would
        // leave a gap in the stream, so the channel is closed too.
        guard case .handshaking = state, pendingBytes > Self.maximumPendingBytes else { return }
        fail(
            .misuse("more than \(Self.maximumPendingBytes) bytes written before the handshake was complete"),
            on: context)
    }

    package func flush(context: ChannelHandlerContext) {
        flushedCount = pending.count
        switch state {
        case .open, .inputClosed: sendFlushed(context)
        case .idle, .handshaking, .closed: context.flush()
        }
    }

    private func sendFlushed(_ context: ChannelHandlerContext) {
        let writes = pending.prefix(flushedCount)
        pending.removeFirst(flushedCount)
        flushedCount = 0
        var sent: EventLoopPromise<Void>?
        for (index, write) in writes.enumerated() {
            pendingBytes -= write.bytes.readableBytes
            sent.setOrCascade(to: write.promise)
            do throws(TLSError) {
                try write.bytes.withUnsafeReadableBytes { bytes throws(TLSError) in try session.write(bytes) }
            } catch {
                sent?.fail(error)
                for lost in writes.dropFirst(index + 1) { lost.promise?.fail(error) }
                return fail(error, on: context)
            }
        }
        sendCiphertext(context, promise: sent)
    }

    private func sendCiphertext(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        guard session.pendingCiphertextBytes > 0 else {
            promise?.succeed()
            return
        }
        let ciphertext = session.takeCiphertext { context.channel.allocator.buffer(bytes: $0) }
        context.writeAndFlush(wrapOutboundOut(ciphertext), promise: promise)
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch mode {
        case .input:
            context.close(mode: .input, promise: promise)
        case .output:
            isOutputClosed = true
            abandonWrites(ChannelError.outputClosed)
            session.sendCloseNotify()
            let sent = context.eventLoop.makePromise(of: Void.self)
            // Closing the output at once would overtake bytes that the socket has not taken yet.
            sent.futureResult.assumeIsolated().whenComplete { _ in context.close(mode: .output, promise: promise) }
            sendCiphertext(context, promise: sent)
        case .all:
            // Best effort: a peer that does not read must not keep the channel open.
            session.sendCloseNotify()
            sendCiphertext(context, promise: nil)
            end(.misuse("the channel was closed before these bytes were flushed"))
            context.close(mode: .all, promise: promise)
        }
    }
}
