package import CarillonHTTP2
package import CarillonHTTP2Server
package import CarillonTLS
package import NIOCore

/// One accepted connection, with TLS and HTTP/2 in one handler, and one write for each burst of received bytes. All of
/// it belongs to one event loop.
///
/// Its `Responder` decides about requests.
package final class SimulatorConnection: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// The TLS session, with the certificate of the client.
    package let tls: TLSSession
    /// The HTTP/2 session, on which a responder answers.
    package let http: HTTP2ServerSession
    private let service: any SimulatedService
    private let responder: any Responder
    private let settings: ConnectionSettings
    private var number = 0
    private var hasAnsweredHello = false
    private var isOpen = false
    /// True once the connection reads no more bytes.
    package internal(set) var isClosing = false
    /// The faults of this connection. Most connections have none.
    var faultActions: FaultActions
    private var idleTimer: Scheduled<Void>?
    /// The timer that closes the connection if the client does not close it; nil if this side's direction is open.
    private var lingerTimer: Scheduled<Void>?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// Makes the connection of a client that was just accepted, and begins the faults of this stage.
    ///
    /// - Parameters:
    ///   - service: the simulated service, which all connections share.
    ///   - responder: the responder, which judges the requests of this connection alone.
    ///   - settings: the settings, which are the same for all connections.
    ///   - context: the certificate. A fault may use another one.
    package init(
        service: any SimulatedService, responder: any Responder, settings: ConnectionSettings, context: TLSContext
    ) throws {
        self.service = service
        self.responder = responder
        self.settings = settings
        faultActions = FaultActions(atAccept: service.faults(at: .accept))
        var context = context
        for case .tls(let other) in faultActions.atAccept { context = other }
        tls = try TLSSession(server: context)
        http = try HTTP2ServerSession(settings: settings.http2)
    }

    deinit { buffer.deallocate() }

    /// How long a connection waits for the client's end after its own.
    private static let lingerTime = TimeAmount.seconds(2)

    package func channelActive(context: ChannelHandlerContext) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        number = service.connections.add { command in
            loop.execute {
                let (connection, context) = loopBound.value
                connection.perform(context) { try connection.carryOut(command, on: context) }
            }
        }
        for fault in faultActions.atAccept { apply(fault, on: context) }
        faultActions.atAccept = []
    }

    package func channelInactive(context: ChannelHandlerContext) {
        isClosing = true
        idleTimer?.cancel()
        lingerTimer?.cancel()
        // The delayed responses refer to this connection.
        faultActions.reversed = []
        http.close()
        service.connections.remove(number)
        context.fireChannelInactive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if faultActions.reader != nil { faultActions.unread.writeBuffer(&bytes) } else { receive(bytes, on: context) }
    }

    package func channelReadComplete(context: ChannelHandlerContext) { flush(context) }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isClosing = true
        context.close(promise: nil)
    }

    // MARK: Reading

    /// Processes received bytes: TLS first, then requests.
    func receive(_ bytes: ByteBuffer, on context: ChannelHandlerContext) {
        if isClosing || faultActions.isFrozen { return }
        if let hello = faultActions.hello {
            return context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: hello)), promise: nil)
        }
        do {
            try bytes.withUnsafeReadableBytes { try tls.receive(ciphertext: $0) }
            if !isOpen {
                guard try answerHello(), try tls.handshake() == .complete else { return }
                isOpen = true
                try responder.connectionOpened(self, on: context)
                if isClosing { return }
                for fault in service.faults(at: .open) { apply(fault, on: context) }
                if isClosing || faultActions.isFrozen { return }
            }
            try readRequests(context)
            awaitIdleness(context)
        } catch {
            end(because: error, on: context)
        }
    }

    /// Answers the client's hello, and sends the settings with it if they should be early. Returns true once that is
    /// done.
    private func answerHello() throws -> Bool {
        if hasAnsweredHello { return true }
        guard try tls.answerHello() else { return false }
        hasAnsweredHello = true
        // With TLS 1.2 the handshake is complete, and the next flush sends the settings; the same if a fault is to come
        // first.
        guard settings.sendsSettingsEarly, tls.mayWriteEarly, !service.mayHaveFaults(at: .open) else { return true }
        let count = try http.fill(buffer)
        try tls.writeEarly(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        return true
    }

    private func readRequests(_ context: ChannelHandlerContext) throws {
        while !isClosing {
            switch try tls.read(into: buffer) {
            case .bytes(let count):
                try http.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                try responder.respond(on: self, in: context)
                for fault in faultActions.removeAfterBurst() { apply(fault, on: context) }
                if let limit = settings.maximumPings, http.receivedPings > limit {
                    service.connections.countViolation()
                    end(with: .enhanceYourCalm, debugData: "too_many_pings", on: context)
                }
            case .wantMore: return
            case .closed: isClosing = true
            }
        }
    }

    /// Calls `judge` with each request that was received and that no GOAWAY has refused. An error does not stop the
    /// calls; the last error is thrown after them.
    package func forEachRequest(_ judge: (Request) throws -> Void) throws {
        var failure: (any Error)?
        http.takeEvents { event in
            guard case .request(let request) = event, request.stream <= faultActions.lastStream else { return }
            do { try judge(request) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Schedules a GOAWAY for a connection without requests for a while.
    private func awaitIdleness(_ context: ChannelHandlerContext) {
        guard let idleMilliseconds = settings.idleMilliseconds else { return }
        idleTimer?.cancel()
        idleTimer = after(.milliseconds(idleMilliseconds), on: context) { [self] in
            guard http.openStreams == 0 else { return awaitIdleness(context) }
            end(with: .noError, debugData: "session_timed_out", on: context)
        }
    }

    // MARK: Writing

    /// Sends the bytes that `body` writes, unless the connection is at its end. An error of `body` ends the connection.
    package func perform(_ context: ChannelHandlerContext, _ body: () throws -> Void) {
        if isClosing { return }
        do {
            try body()
            flush(context)
        } catch {
            end(because: error, on: context)
        }
    }

    /// Calls `body` later, unless the connection is at its end by then.
    @discardableResult
    package func after(
        _ time: TimeAmount, on context: ChannelHandlerContext, _ body: @escaping () -> Void
    ) -> Scheduled<Void> {
        context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in if !isClosing { body() } }
    }

    private func carryOut(_ command: OpenConnections.Command, on context: ChannelHandlerContext) throws {
        switch command {
        case .maxStreams(let limit): try responder.maxStreamsChanged(to: limit, on: self)
        case .fault(let action): apply(action, on: context)
        case .endFaults: endFaults(context)
        }
    }

    /// Sends a GOAWAY and closes the connection.
    package func end(with code: HTTP2ErrorCode, debugData: String, on context: ChannelHandlerContext) {
        // Why try?: the connection is closed anyway.
        try? http.goAway(lastStreamID: http.lastStreamID, code: code, debugData: Array(debugData.utf8))
        isClosing = true
        flush(context)
    }

    /// Sends a GOAWAY if `error` has one, and closes the connection.
    private func end(because error: any Error, on context: ChannelHandlerContext) {
        if isClosing { return }
        if error is HTTP2Error { service.connections.countViolation() }
        if case HTTP2Error.tooManyStreams = error {
            let (code, text) = settings.streamLimitExceeded
            return end(with: code, debugData: text, on: context)
        }
        isClosing = true
        flush(context)
    }

    /// Sends all bytes of TLS and HTTP/2 in one write, and closes the connection if it is at its end.
    func flush(_ context: ChannelHandlerContext) {
        if faultActions.isFrozen { return }
        do {
            if isOpen, !faultActions.bytes.isEmpty {
                // HTTP/2 has nothing left to send: one frame ends here and the next begins.
                try faultActions.removeBytes().withUnsafeBytes { try tls.write($0) }
            }
            while isOpen, case let count = try http.fill(buffer), count > 0 {
                try tls.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        } catch {
            isClosing = true
        }
        if isOpen, !http.wantsRead, !http.wantsWrite { isClosing = true }
        if isClosing { tls.sendCloseNotify() }
        let size = tls.pendingCiphertextBytes
        if size > 0 {
            var bytes = context.channel.allocator.buffer(capacity: size)
            tls.takeCiphertext { _ = bytes.writeBytes($0) }
            context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
        }
        if isClosing { closeOutput(context) }
    }

    /// Ends this side's direction, and waits for the client's end. A closed socket would answer the bytes that still
    /// come with a reset, and the client would lose the responses that it has not read yet.
    private func closeOutput(_ context: ChannelHandlerContext) {
        guard lingerTimer == nil else { return }
        context.close(mode: .output, promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        lingerTimer = context.eventLoop.scheduleTask(in: Self.lingerTime) { bound.value.close(promise: nil) }
    }
}
