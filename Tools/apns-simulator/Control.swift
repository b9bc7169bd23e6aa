import CarillonSimulator
import NIOCore

/// The control port: each line is a command, answered by lines of JSON and an empty line.
final class Control: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let simulator: SimulatorState
    private var pending: [UInt8] = []
    /// True if a dump is being sent: commands wait for its end.
    private var isDumping = false

    private static let maximumLineBytes = 64 << 10
    /// The commands, for `--help` and errors.
    static let commands =
        "stats, device TOKEN, dump, reset, wait COUNT [TOKEN], arrivals KEY, rule JSON, max-streams N, calm, goaway"
    /// Slots of the delivery history that a dump reads at a time.
    private static let dumpSlots = 1 << 14

    init(simulator: SimulatorState) { self.simulator = simulator }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        pending.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        runPending(context)
    }

    private func runPending(_ context: ChannelHandlerContext) {
        while !isDumping, let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: pending[..<end], as: UTF8.self)
            pending.removeFirst(end + 1)
            run(line, context)
        }
        if pending.count > Control.maximumLineBytes { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func run(_ line: String, _ context: ChannelHandlerContext) {
        let parts = line.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
        let argument = parts.count > 1 ? parts[1] : ""
        switch parts.first {
        case nil: return
        case "stats": reply([simulator.stats], context)
        case "device": reply([device(argument)], context)
        case "dump":
            isDumping = true
            dump(from: 0, slots: simulator.withState { $0.history.slots }, context)
        case "reset":
            simulator.withState { state in
                state.history.removeAll()
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
                try simulator.withState { try $0.rules.add(argument) }
                simulator.startPendingFaults(on: context.eventLoop)
                reply([#"{"ok":true}"#], context)
            } catch {
                reply(["{\"error\":\(quoted("\(error)"))}"], context)
            }
        case "max-streams":
            guard let limit = UInt32(argument) else { return reply([#"{"error":"not a number"}"#], context) }
            simulator.withState { $0.maxStreams = limit }
            sendToAll(.maxStreams(limit), context)
        case "calm":
            simulator.withState { $0.rules.removeFaults() }
            sendToAll(.calm, context)
        case "goaway": sendToAll(.fault(.goAway(Fault.GoAway(reason: "Shutdown"))), context)
        default: reply(["{\"error\":\(quoted("unknown command; there are \(Control.commands)"))}"], context)
        }
    }

    private func sendToAll(_ command: SimulatorState.Command, _ context: ChannelHandlerContext) {
        reply(["{\"connections\":\(simulator.sendToAll(command))}"], context)
    }

    private func device(_ hex: String) -> String {
        guard let token = DeviceToken(hex: hex) else { return #"{"error":"not a token"}"# }
        return simulator.withState { state in
            let payload = state.payloads[token].map { ",\"payload\":" + quoted(String(decoding: $0, as: UTF8.self)) }
            return Control.line(token, record: state.history.record(of: token), more: payload ?? "")
        }
    }

    /// Returns the arrivals as alternating numbers and times.
    private func arrivals(_ key: String) -> String {
        guard !key.isEmpty, key.utf8.count <= 64 else { return #"{"error":"not a key"}"# }
        let (arrivals, lost) = simulator.withState { $0.arrivals.take(under: key) }
        let numbers = arrivals.map { "\($0.number),\($0.time)" }.joined(separator: ",")
        return "{\"lost\":\(lost),\"arrivals\":[\(numbers)]}"
    }

    private static func line(_ token: DeviceToken, record: DeliveryHistory.Record, more: String = "") -> String {
        "{\"token\":\(quoted(token.text)),\"count\":\(record.accepted),\"refused\":\(record.refused),"
            + "\"status\":\(record.lastRefusal)\(more)}"
    }

    /// Sends a part of the history, and the next one when the client has read it: a million devices need no more memory
    /// than a few. Pushes that arrive meanwhile may or may not be included; if the history grows, the dump ends with an
    /// error.
    private func dump(from start: Int, slots: Int, _ context: ChannelHandlerContext) {
        let end = min(start + Control.dumpSlots, slots)
        let lines: [String]? = simulator.withState { state in
            guard state.history.slots == slots else { return nil }
            var lines: [String] = []
            state.history.forEachDevice(in: start..<end) { lines.append(Control.line($0, record: $1)) }
            return lines
        }
        guard let lines, end < slots else {
            isDumping = false
            reply(lines ?? [#"{"error":"the delivery history has grown meanwhile"}"#], context)
            return runPending(context)
        }
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(bytes(lines, context))).whenSuccess {
            let (control, context) = loopBound.value
            control.dump(from: end, slots: slots, context)
        }
    }

    /// `wait COUNT` answers once `COUNT` pushes were accepted, `wait COUNT TOKEN` once that many to the device were.
    private func wait(_ argument: String, _ context: ChannelHandlerContext) {
        let words = argument.split(separator: " ")
        guard let count = words.first.flatMap({ Int($0) }) else {
            return reply([#"{"error":"not a number"}"#], context)
        }
        let token = words.count > 1 ? DeviceToken(hex: String(words[1])) : nil
        guard words.count == 1 || token != nil else { return reply([#"{"error":"not a token"}"#], context) }
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let simulator = simulator
        let done: @Sendable () -> Void = {
            loop.execute {
                let (control, context) = loopBound.value
                control.reply([simulator.stats], context)
            }
        }
        let isReached = simulator.withState { state in
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
