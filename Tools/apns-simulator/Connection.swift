import CarillonHTTP2
import CarillonTLS
import NIOCore

/// One connection's shell: TLS and HTTP/2 in one handler, one write for each burst of bytes that comes in.
///
/// It decides nothing about pushes: that is `SimulatorState.judge`, between a request's arrival and `answer`.
final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let world: SimulatorState
    let tls: TLSSession
    let http: HTTP2ServerSession
    private let number: Int
    private var client = Validator.Connection()
    private var hasGreeted = false
    private var isOpen = false
    var isClosing = false
    /// Whether the stream limit has been raised from the one that an unproven client gets.
    private var isTrusted = false
    private let accepted: PreparedAnswer
    private var rejections = Rejections()
    private let ids = IDGenerator()
    private var delayed: [Delayed] = []
    /// What goes wrong here; nothing on most connections.
    var trouble = FaultActions()
    private let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 16)
    private let outgoing = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 16)

    private static let bufferSize = 64 << 10

    /// An answer that waits for its time.
    struct Delayed {
        var stream: Int32
        var verdict: Verdict
        var id: [UInt8]
        var frameBytes = Int.max
    }

    /// - Parameter faults: those that it meets as soon as TCP is connected.
    init(world: SimulatorState, context: TLSContext, number: Int, faults: [Fault.Action]) throws {
        self.world = world
        self.number = number
        var context = context
        for case .tls(let other) in faults { context = other }
        trouble.atAccept = faults
        tls = try TLSSession(server: context)
        var settings = ServerSettings()
        settings.maxConcurrentStreams = world.unprovenStreams
        settings.connectionWindowSize = 16 << 20
        http = try HTTP2ServerSession(settings: settings)
        accepted = try PreparedAnswer(status: 200)
    }

    deinit {
        plaintext.deallocate()
        outgoing.deallocate()
    }

    func channelActive(context: ChannelHandlerContext) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        world.withState { state in
            state.connectionCount += 1
            state.connections[number] = { order in
                loop.execute {
                    let (connection, context) = loopBound.value
                    connection.obey(order, context)
                }
            }
        }
        for fault in trouble.atAccept { meet(fault, context) }
        trouble.atAccept = []
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosing = true
        http.close()
        world.withState { $0.connections[number] = nil }
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if trouble.reader != nil { trouble.unread.writeBuffer(&bytes) } else { receive(bytes, context) }
    }

    /// Takes bytes in: TLS first, then requests.
    func receive(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        if isClosing || trouble.isFrozen { return }
        if let hello = trouble.hello { return say(hello, context) }
        do {
            try bytes.withUnsafeReadableBytes { try tls.receive(ciphertext: $0) }
            if !isOpen {
                guard try greet(), try tls.handshake() == .complete else { return }
                isOpen = true
                if let certificate = tls.peerCertificate {
                    guard try accept(certificate) else { return flush(context) }
                }
                for fault in world.faults(at: .open) { meet(fault, context) }
                if isClosing || trouble.isFrozen { return }
            }
            try readRequests(context)
        } catch {
            end(error, context)
        }
    }

    /// Sends the settings with the last of our handshake, so that a client that reads before it writes knows its limit of
    /// streams in time; true once that is done.
    private func greet() throws -> Bool {
        if hasGreeted { return true }
        guard try tls.answerHello() else { return false }
        hasGreeted = true
        // With TLS 1.2 the handshake is over, and the settings leave with the next flush; so do they if a fault is to come first.
        guard tls.mayWriteEarly, !world.mayMeetFaults(at: .open) else { return true }
        let count = try http.fill(outgoing)
        try tls.writeEarly(UnsafeRawBufferPointer(rebasing: outgoing[..<count]))
        return true
    }

    /// Takes a client's certificate for what Apple says in it; one for the other environment ends the connection.
    private func accept(_ certificate: Certificate) throws -> Bool {
        let isForBoth = certificate.push.isForProduction == certificate.push.isForSandbox
        guard isForBoth || certificate.push.isForSandbox == (world.environment == "sandbox") else {
            try http.goAway(
                lastStreamID: 0, code: .noError, debugData: Array(#"{"reason":"BadCertificateEnvironment"}"#.utf8))
            isClosing = true
            return false
        }
        let names = certificate.push.names
        client.topics = (names.isEmpty ? certificate.userID.map { [$0] } ?? [] : names).map { Array($0.utf8) }
        try trust()
        return true
    }

    func channelReadComplete(context: ChannelHandlerContext) { flush(context) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isClosing = true
        context.close(promise: nil)
    }

    private func readRequests(_ context: ChannelHandlerContext) throws {
        while true {
            switch try tls.read(into: plaintext) {
            case .bytes(let count):
                try http.receive(UnsafeRawBufferPointer(rebasing: plaintext[..<count]))
                try judgeRequests(context)
            case .wantMore: return
            case .closed:
                isClosing = true
                return
            }
        }
    }

    /// Decides on all requests of the burst and answers them, or lets the answers wait for their time.
    private func judgeRequests(_ context: ChannelHandlerContext) throws {
        let now = milliseconds()
        var failure: (any Error)?
        let waiting = delayed.count
        world.withState { state in
            http.drainEvents { event in
                guard case .request(let request) = event, request.stream <= trouble.lastStream else { return }
                do { try take(request, &state, now, context) } catch { failure = error }
            }
            if isProven, !isTrusted {
                isTrusted = true
                do { try http.update(maxConcurrentStreams: state.maxStreams) } catch { failure = error }
            }
            world.endOfBurst(&state)
        }
        if let failure { throw failure }
        for fault in trouble.takeAfterBurst() { meet(fault, context) }
        if delayed.count > waiting { answerLater(delayed.count - waiting, context) }
    }

    private func take(
        _ request: Request,
        _ state: inout SimulatorState.State,
        _ now: Int64,
        _ context: ChannelHandlerContext
    ) throws {
        let push = PushRequest(request)
        var course = FaultPlan(delay: world.delay)
        if state.rules.faults.watchesRequests {
            course = try self.course(of: push, stream: request.stream, &state, now)
            guard course.isProcessed else { return try end(request.stream, course) }
        }
        let id = push.canonicalID ?? ids.next()
        let verdict = world.judge(push, &client, &state, now: now, skew: course.skew, id: id)
        if course.isPlain, course.delay == 0 { return try answer(request.stream, verdict, id) }
        let answer = Delayed(stream: request.stream, verdict: verdict, id: Array(id), frameBytes: course.frameBytes)
        trouble.lastPromised = max(trouble.lastPromised, request.stream)
        if course.isPlain {
            delayed.append(answer)
        } else {
            try disturb(answer, course, context)
        }
    }

    /// Whether a request has been accepted, so that the client may open as many streams as others.
    private var isProven = false

    private func trust() throws {
        isTrusted = true
        try http.update(maxConcurrentStreams: world.withState { $0.maxStreams })
    }

    private func answer(
        _ stream: Int32,
        _ verdict: Verdict,
        _ id: UnsafeRawBufferPointer,
        frameBytes: Int = .max
    ) throws {
        do {
            switch verdict {
            case .accepted:
                isProven = true
                try http.respond(to: stream, with: accepted, apnsID: id)
            case .rejected(let rejection):
                let (head, body) = try rejections.answer(to: rejection)
                try http.respond(to: stream, with: head, apnsID: id, body: body, frameBytes: frameBytes)
            }
        } catch HTTP2Error.unknownStream {
            // The client has given the stream up meanwhile.
        }
    }

    func answer(_ delayed: Delayed) throws {
        var failure: (any Error)?
        delayed.id.withUnsafeBytes { id in
            do {
                try answer(delayed.stream, delayed.verdict, id, frameBytes: delayed.frameBytes)
            } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func answerLater(_ count: Int, _ context: ChannelHandlerContext) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(world.delay)) {
            let (connection, context) = loopBound.value
            connection.answerDelayed(count, context)
        }
    }

    private func answerDelayed(_ count: Int, _ context: ChannelHandlerContext) {
        let due = Array(delayed.prefix(count))
        delayed.removeFirst(due.count)
        answer(due, context)
    }

    /// Gives answers that have waited.
    func answer(_ due: [Delayed], _ context: ChannelHandlerContext) {
        if isClosing { return }
        do {
            for one in due { try answer(one) }
            if isProven, !isTrusted { try trust() }
            flush(context)
        } catch {
            end(error, context)
        }
    }

    private func obey(_ order: SimulatorState.Order, _ context: ChannelHandlerContext) {
        if isClosing { return }
        do {
            switch order {
            case .maxStreams(let limit): if isTrusted { try http.update(maxConcurrentStreams: limit) }
            case .fault(let action): meet(action, context)
            case .calm: calm(context)
            }
            flush(context)
        } catch {
            end(error, context)
        }
    }

    /// Says goodbye as far as the protocol has words for `error`, and closes.
    private func end(_ error: any Error, _ context: ChannelHandlerContext) {
        if isClosing { return }
        if error is HTTP2Error { world.withState { $0.violations += 1 } }
        if case HTTP2Error.tooManyStreams = error {
            let words = Array("Maximum active streams violated for this endpoint.".utf8)
            try? http.goAway(lastStreamID: http.lastStreamID, code: .refusedStream, debugData: words)
        }
        isClosing = true
        flush(context)
    }

    /// Sends all that TLS and HTTP/2 have to say in one write, and closes if that was the last.
    func flush(_ context: ChannelHandlerContext) {
        if trouble.isFrozen { return }
        do {
            if isOpen, !trouble.bytes.isEmpty {
                // HTTP/2 had nothing left to say: here one frame ends and the next begins.
                try trouble.takeBytes().withUnsafeBytes { try tls.write($0) }
            }
            while isOpen, case let count = try http.fill(outgoing), count > 0 {
                try tls.write(UnsafeRawBufferPointer(rebasing: outgoing[..<count]))
            }
        } catch {
            isClosing = true
        }
        if isOpen, !http.wantsRead, !http.wantsWrite { isClosing = true }
        if isClosing { tls.sendCloseNotify() }
        let size = tls.pendingCiphertextBytes
        if size > 0 {
            var buffer = context.channel.allocator.buffer(capacity: size)
            tls.takeCiphertext { _ = buffer.writeBytes($0) }
            context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
        }
        if isClosing { context.close(promise: nil) }
    }

    /// Writes bytes past TLS.
    private func say(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }
}

/// Answers made once and used for every stream that is refused alike.
struct Rejections {
    private var made: [Rejection: (PreparedAnswer, PreparedBody)] = [:]

    private static let maxKept = 256

    mutating func answer(to rejection: Rejection) throws(HTTP2Error) -> (PreparedAnswer, PreparedBody) {
        if let known = made[rejection] { return known }
        let retry = rejection.retryAfter.map { [HeaderField("retry-after", String($0))] } ?? []
        let fresh = (
            try PreparedAnswer(status: rejection.status, fields: retry), PreparedBody(rejection.body.utf8)
        )
        if made.count >= Self.maxKept { made.removeAll() }
        made[rejection] = fresh
        return fresh
    }
}

/// Makes ids for pushes without one: in the form of a UUID, unique within a run, of no secrecy.
final class IDGenerator {
    private var state = UInt64.random(in: .min ... .max)
    private let text = UnsafeMutableRawBufferPointer.allocate(byteCount: 36, alignment: 1)

    deinit { text.deallocate() }

    /// The next id; valid until the next call.
    func next() -> UnsafeRawBufferPointer {
        var bits = (random(), random())
        withUnsafeBytes(of: &bits) { bits in
            var digit = 0
            for index in 0..<36 {
                if index == 8 || index == 13 || index == 18 || index == 23 {
                    text[index] = UInt8(ascii: "-")
                    continue
                }
                let byte = bits[digit / 2]
                text[index] = hexDigit(digit.isMultiple(of: 2) ? byte >> 4 : byte & 15)
                digit += 1
            }
        }
        return UnsafeRawBufferPointer(text)
    }

    private func random() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return mix(state, 0xe703_7ed1_a0b4_28db)
    }
}
