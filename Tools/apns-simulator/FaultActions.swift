import CarillonHTTP2
import Glibc
import NIOCore

/// What a fault makes of the way of one request.
struct FaultPlan {
    /// What comes of it in the end.
    enum Ending {
        /// The answer, as fast as all answers.
        case plain
        /// The answer, in a way or at a time of its own.
        case answer
        case reversed(among: Int)
        case reset(ErrorCode)
        case silence
    }

    var ending = Ending.plain
    var isProcessed = true
    /// Milliseconds that the answer waits.
    private(set) var delay: Int64
    private(set) var frameBytes = Int.max
    /// Seconds by which the clock is wrong.
    var skew: Int64 = 0

    init(delay: Int64) { self.delay = delay }

    var isPlain: Bool { if case .plain = ending { true } else { false } }

    mutating func add(_ delay: Int64) {
        self.delay += delay
        if isPlain { ending = .answer }
    }

    mutating func split(_ bytes: Int) {
        frameBytes = bytes
        if isPlain { ending = .answer }
    }
}

/// What goes wrong on one connection.
struct FaultActions {
    /// Faults to meet when the channel is active.
    var atAccept: [Fault.Action] = []
    /// Faults to meet when the burst of requests is judged.
    private var afterBurst: [Fault.Action] = []
    /// Bytes that go out before HTTP/2's.
    private(set) var bytes: [UInt8] = []
    /// In place of TLS.
    var hello: [UInt8]?
    var isFrozen = false
    /// The newest stream that is processed: above it a GOAWAY has refused everything.
    var lastStream = Int32.max
    /// The newest stream that was processed and waits for its answer: no GOAWAY goes below it.
    var lastPromised: Int32 = 0
    /// Answers that wait to be given in reversed order.
    var reversed: [Connection.Delayed] = []
    /// Reads at a slow pace, if it does.
    var reader: RepeatedTask?
    /// What came and waits for its turn to be read.
    var unread = ByteBuffer()

    private static let maxBytes = 1 << 20

    mutating func append(_ more: [UInt8]) {
        if bytes.count + more.count <= FaultActions.maxBytes { bytes += more }
    }

    mutating func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    mutating func meetLater(_ action: Fault.Action) { afterBurst.append(action) }

    mutating func takeAfterBurst() -> [Fault.Action] {
        if afterBurst.isEmpty { return [] }
        defer { afterBurst = [] }
        return afterBurst
    }
}

/// How a connection does what faults ask for.
extension Connection {
    /// How long answers in reversed order wait for those that do not come.
    private static let patience = TimeAmount.milliseconds(50)
    /// How long the second GOAWAY of a graceful end waits for requests that were under way.
    private static let grace = TimeAmount.milliseconds(200)

    // MARK: Requests

    /// The way of a request, after all faults that are about it.
    func course(of push: PushRequest, stream: Int32, _ state: inout SimulatorState.State, _ now: Int64) throws
        -> FaultPlan
    {
        var course = FaultPlan(delay: world.delay)
        let faults = state.rules.faults.happening(.request, on: push.path.dropFirst(bytes: 10), at: now)
        for fault in faults {
            if !fault.isProcessed { course.isProcessed = false }
            switch fault.action {
            case .reset(let code): course.ending = .reset(code)
            case .silence: course.ending = .silence
            case .delay(let delay): course.add(state.rules.faults.sample(delay))
            case .reverse(let count): course.ending = .reversed(among: count)
            case .split(let bytes): course.split(bytes)
            case .skew(let seconds): course.skew += seconds
            case .goAway(let departure) where !fault.isProcessed: try leave(departure, refusing: stream)
            case .frame(let frame): trouble.append(frame.bytes(stream: stream))
            case .close, .freeze:
                // The answers before it go out, that to this request does not, and those after it are not looked at.
                course.ending = .silence
                trouble.lastStream = min(trouble.lastStream, stream)
                trouble.meetLater(fault.action)
            default: trouble.meetLater(fault.action)
            }
        }
        return course
    }

    /// Ends a request that was not processed.
    func end(_ stream: Int32, _ course: FaultPlan) throws {
        if case .reset(let code) = course.ending { try http.reset(stream: stream, code: code) }
    }

    /// Sends an answer on its way, which is not the straight one.
    func disturb(_ answer: Delayed, _ course: FaultPlan, _ context: ChannelHandlerContext) throws {
        switch course.ending {
        case .silence: break
        case .reset(let code): try http.reset(stream: answer.stream, code: code)
        case .reversed(let count): reverse(answer, among: count, context)
        case .plain, .answer:
            after(.milliseconds(course.delay), context) { connection, context in connection.answer([answer], context) }
        }
    }

    private func reverse(_ answer: Delayed, among count: Int, _ context: ChannelHandlerContext) {
        trouble.reversed.append(answer)
        if trouble.reversed.count >= count { return answerReversed(context) }
        let first = trouble.reversed[0].stream
        after(Connection.patience, context) { connection, context in
            if connection.trouble.reversed.first?.stream == first { connection.answerReversed(context) }
        }
    }

    private func answerReversed(_ context: ChannelHandlerContext) {
        let due = Array(trouble.reversed.reversed())
        trouble.reversed = []
        // Later: the burst that brought the last of them is still being judged.
        after(.zero, context) { connection, context in connection.answer(due, context) }
    }

    private func after(
        _ time: TimeAmount,
        _ context: ChannelHandlerContext,
        _ body: @escaping (Connection, ChannelHandlerContext) -> Void
    ) {
        context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in
            if !isClosing { body(self, context) }
        }
    }

    // MARK: The connection

    /// Lets a fault happen to the whole connection.
    func meet(_ action: Fault.Action, _ context: ChannelHandlerContext) {
        if isClosing { return }
        do {
            switch action {
            case .goAway(let departure):
                try leave(departure, refusing: nil)
                if departure.form == .graceful { finishLeaving(departure, context) }
            case .settings(let settings): try http.update(settings: settings.map { ($0.id, $0.value) })
            case .frame(let frame): trouble.append(frame.bytes(stream: max(1, http.lastStreamID)))
            case .pings(let count): for number in 0..<count { try http.ping(UInt64(number)) }
            case .ignorePings: http.answersPings = false
            case .close(let ending): return close(ending, context)
            case .freeze(let milliseconds): return freeze(milliseconds, context)
            case .slowRead(let rate): return readSlowly(rate, context)
            case .hello(let bytes): trouble.hello = bytes
            // Those of a request are in its course, the context of TLS is chosen when the connection is made.
            case .reset, .silence, .delay, .reverse, .split, .skew, .tls: break
            }
            flush(context)
        } catch {
            // Nothing is lost: HTTP/2 was at its end already.
            close(.fin, context)
        }
    }

    /// Says GOAWAY. What was processed and waits for its answer is not disowned, whatever the form.
    private func leave(_ departure: Fault.Departure, refusing stream: Int32?) throws {
        var last = http.lastStreamID
        switch departure.form {
        case .graceful: return try http.shutdownNotice()
        case .all: break
        case .some: if let stream { last = max(0, stream - 2) }
        case .none: last = 0
        }
        last = max(last, trouble.lastPromised)
        for _ in 0..<departure.count {
            try http.goAway(lastStreamID: last, code: departure.code, debugData: departure.debugData)
        }
        trouble.lastStream = last
    }

    private func finishLeaving(_ departure: Fault.Departure, _ context: ChannelHandlerContext) {
        after(Connection.grace, context) { connection, context in
            var last = departure
            last.form = .all
            connection.meet(.goAway(last), context)
        }
    }

    private func close(_ ending: Fault.Ending, _ context: ChannelHandlerContext) {
        isClosing = true
        switch ending {
        case .polite: return flush(context)
        case .fin: break
        case .reset:
            let channel = context.channel as? any SocketOptionProvider
            _ = channel?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        context.close(promise: nil)
    }

    private func freeze(_ milliseconds: Int64, _ context: ChannelHandlerContext) {
        trouble.isFrozen = true
        setReading(isAutomatic: false, context)
        after(.milliseconds(milliseconds), context) { connection, context in connection.close(.fin, context) }
    }

    /// Ten times a second a tenth of the rate; what came more than that waits, and no more is asked for meanwhile.
    private func readSlowly(_ rate: Int, _ context: ChannelHandlerContext) {
        guard trouble.reader == nil else { return }
        setReading(isAutomatic: false, context)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let pause = TimeAmount.milliseconds(100)
        trouble.reader = context.eventLoop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { task in
            let (connection, context) = bound.value
            if connection.isClosing { return task.cancel() }
            if connection.trouble.unread.readableBytes == 0 { return context.read() }
            connection.readUnread(upTo: max(1, rate / 10), context)
        }
    }

    private func readUnread(upTo count: Int, _ context: ChannelHandlerContext) {
        let count = min(count, trouble.unread.readableBytes)
        guard let piece = trouble.unread.readSlice(length: count) else { return }
        receive(piece, context)
        flush(context)
    }

    private func setReading(isAutomatic: Bool, _ context: ChannelHandlerContext) {
        context.channel.setOption(.autoRead, value: isAutomatic).whenFailure { _ in }
    }

    /// Ends what lasts.
    func calm(_ context: ChannelHandlerContext) {
        http.answersPings = true
        guard let reader = trouble.reader else { return }
        reader.cancel()
        trouble.reader = nil
        readUnread(upTo: .max, context)
        setReading(isAutomatic: true, context)
    }
}
