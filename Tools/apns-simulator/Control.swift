import NIOCore

/// The control port: a command a line, answered by lines of JSON and an empty line.
final class Control: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let world: SimulatorState
    private var pending: [UInt8] = []
    /// Whether a dump is on its way out: commands wait for its end.
    private var isDumping = false

    private static let maxLine = 64 << 10
    /// What can be said, as `--help` has it too.
    static let commands =
        "stats, device TOKEN, dump, reset, wait COUNT [TOKEN], arrivals KEY, rule JSON, max-streams N, calm, goaway"
    /// Places of the ledger that a dump looks at in one go.
    private static let dumpPlaces = 1 << 14

    init(world: SimulatorState) { self.world = world }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        pending.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        obeyPending(context)
    }

    private func obeyPending(_ context: ChannelHandlerContext) {
        while !isDumping, let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: pending[..<end], as: UTF8.self)
            pending.removeFirst(end + 1)
            obey(line, context)
        }
        if pending.count > Control.maxLine { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func obey(_ line: String, _ context: ChannelHandlerContext) {
        let parts = line.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
        let argument = parts.count > 1 ? parts[1] : ""
        switch parts.first {
        case nil: return
        case "stats": reply([world.stats], context)
        case "device": reply([device(argument)], context)
        case "dump":
            isDumping = true
            dump(from: 0, of: world.withState { $0.ledger.places }, context)
        case "reset":
            world.withState { state in
                state.ledger.removeAll()
                state.rejected = [:]
                state.requests = 0
                state.violations = 0
                state.rules.faults.forgetCounts()
                state.payloads = [:]
            }
            reply([#"{"ok":true}"#], context)
        case "wait": wait(argument, context)
        case "arrivals": reply([arrivals(argument)], context)
        case "rule":
            do {
                try world.withState { try $0.rules.add(argument) }
                world.issueOrders(on: context.eventLoop)
                reply([#"{"ok":true}"#], context)
            } catch {
                reply(["{\"error\":\(quoted("\(error)"))}"], context)
            }
        case "max-streams":
            guard let limit = UInt32(argument) else { return reply([#"{"error":"not a number"}"#], context) }
            world.withState { $0.maxStreams = limit }
            tellAll(.maxStreams(limit), context)
        case "calm":
            world.withState { $0.rules.calm() }
            tellAll(.calm, context)
        case "goaway": tellAll(.fault(.goAway(Fault.Departure(reason: "Shutdown"))), context)
        default: reply(["{\"error\":\(quoted("unknown command; there are \(Control.commands)"))}"], context)
        }
    }

    private func tellAll(_ order: SimulatorState.Order, _ context: ChannelHandlerContext) {
        reply(["{\"connections\":\(world.tellAll(order))}"], context)
    }

    private func device(_ hex: String) -> String {
        guard let token = DeviceToken(hex: hex) else { return #"{"error":"not a token"}"# }
        return world.withState { state in
            let payload = state.payloads[token].map { ",\"payload\":" + quoted(String(decoding: $0, as: UTF8.self)) }
            return Control.line(token, state.ledger.record(of: token), payload ?? "")
        }
    }

    /// Numbers and times by turns.
    private func arrivals(_ key: String) -> String {
        guard !key.isEmpty, key.utf8.count <= 64 else { return #"{"error":"not a key"}"# }
        let (arrivals, lost) = world.withState { $0.arrivals.take(under: key) }
        let numbers = arrivals.map { "\($0.number),\($0.time)" }.joined(separator: ",")
        return "{\"lost\":\(lost),\"arrivals\":[\(numbers)]}"
    }

    private static func line(_ token: DeviceToken, _ record: DeliveryHistory.Record, _ more: String = "") -> String {
        "{\"token\":\(quoted(token.text)),\"count\":\(record.accepted),\"refused\":\(record.refused),"
            + "\"status\":\(record.lastRefusal)\(more)}"
    }

    /// Sends a piece of the ledger, and the next one when the client has taken it: a million devices are no more in
    /// memory than a few. Pushes that come meanwhile may or may not be in it; if the ledger grows, that is an error.
    private func dump(from place: Int, of places: Int, _ context: ChannelHandlerContext) {
        let end = min(place + Control.dumpPlaces, places)
        let lines: [String]? = world.withState { state in
            guard state.ledger.places == places else { return nil }
            var lines: [String] = []
            state.ledger.forEachDevice(in: place..<end) { lines.append(Control.line($0, $1)) }
            return lines
        }
        guard let lines, end < places else {
            isDumping = false
            reply(lines ?? [#"{"error":"the ledger has grown meanwhile"}"#], context)
            return obeyPending(context)
        }
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(bytes(lines, context))).whenSuccess {
            let (control, context) = loopBound.value
            control.dump(from: end, of: places, context)
        }
    }

    /// `wait COUNT` answers when so many pushes were accepted, `wait COUNT TOKEN` when so many of that device were.
    private func wait(_ argument: String, _ context: ChannelHandlerContext) {
        let words = argument.split(separator: " ")
        guard let count = words.first.flatMap({ Int($0) }) else {
            return reply([#"{"error":"not a number"}"#], context)
        }
        let token = words.count > 1 ? DeviceToken(hex: String(words[1])) : nil
        guard words.count == 1 || token != nil else { return reply([#"{"error":"not a token"}"#], context) }
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let world = world
        let done: @Sendable () -> Void = {
            loop.execute {
                let (control, context) = loopBound.value
                control.reply([world.stats], context)
            }
        }
        let isReached = world.withState { state in
            if state.hasAccepted(count, for: token) { return true }
            state.waiters.append(SimulatorState.Waiter(count: count, token: token, done: done))
            return false
        }
        if isReached { done() }
    }

    private func reply(_ lines: [String], _ context: ChannelHandlerContext) {
        var buffer = bytes(lines, context)
        buffer.writeString("\n")
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    private func bytes(_ lines: [String], _ context: ChannelHandlerContext) -> ByteBuffer {
        var buffer = context.channel.allocator.buffer(capacity: 256 + lines.count * 120)
        for line in lines { buffer.writeString(line + "\n") }
        return buffer
    }
}
