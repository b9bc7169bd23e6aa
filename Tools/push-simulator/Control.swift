import CarillonSimulator
import NIOCore

/// The control port: each line is a command, answered by a line of JSON and an empty line.
final class Control: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let simulator: SimulatorState
    private var pending: [UInt8] = []

    private static let maximumLineBytes = 64 << 10
    /// The commands, for `--help` and errors.
    static let commands =
        "stats, device TOKEN, subscription ID, reset, revoke, wait COUNT, rule JSON, max-streams N, calm, goaway"

    init(simulator: SimulatorState) { self.simulator = simulator }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        pending.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
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
        case "stats": reply(simulator.stats, context)
        case "device": reply(device(argument), context)
        case "subscription": reply(subscription(argument), context)
        case "reset":
            simulator.withState { state in
                state.fcm.forget()
                state.web.forget()
                state.rejected = [:]
                (state.requests, state.tokenRequests, state.violations, state.hasty) = (0, 0, 0, 0)
                state.pauses = [:]
                state.rules.faults.forgetCounts()
            }
            reply(#"{"ok":true}"#, context)
        case "revoke":
            simulator.withState { $0.tokens.revoke() }
            reply(#"{"ok":true}"#, context)
        case "wait": wait(argument, context)
        case "rule":
            do {
                try simulator.add(argument)
                simulator.startPendingFaults(on: context.eventLoop)
                reply(#"{"ok":true}"#, context)
            } catch {
                reply("{\"error\":\(quoted("\(error)"))}", context)
            }
        case "max-streams":
            guard let limit = UInt32(argument) else { return reply(#"{"error":"not a number"}"#, context) }
            simulator.withState { $0.maxStreams = limit }
            sendToAll(.maxStreams(limit), context)
        case "calm":
            simulator.withState { $0.rules.removeFaults() }
            sendToAll(.calm, context)
        case "goaway": sendToAll(.fault(.goAway(Fault.GoAway())), context)
        default: reply("{\"error\":\(quoted("unknown command; there are \(Control.commands)"))}", context)
        }
    }

    private func sendToAll(_ command: SimulatorState.Command, _ context: ChannelHandlerContext) {
        reply("{\"connections\":\(simulator.sendToAll(command))}", context)
    }

    private func device(_ token: String) -> String {
        let record = simulator.withState { $0.fcm.devices[token] } ?? FCM.Record()
        return "{\"count\":\(record.accepted),\"refused\":\(record.refused),\"status\":\(record.lastStatus),"
            + "\"payload\":\(quoted(record.payload))}"
    }

    private func subscription(_ id: String) -> String {
        guard let record = simulator.withState({ $0.web.records[id] }) else {
            return #"{"error":"there is no such subscription"}"#
        }
        return "{\"count\":\(record.accepted),\"refused\":\(record.refused),\"status\":\(record.lastStatus),"
            + "\"payload\":\(quoted(record.payload)),\"ttl\":\(quoted(record.ttl)),"
            + "\"urgency\":\(quoted(record.urgency)),\"topic\":\(quoted(record.topic)),\"replaced\":\(record.replaced)}"
    }

    /// `wait COUNT` answers once `COUNT` messages were accepted.
    private func wait(_ argument: String, _ context: ChannelHandlerContext) {
        guard let count = Int(argument) else { return reply(#"{"error":"not a number"}"#, context) }
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let simulator = simulator
        let done: @Sendable () -> Void = {
            loop.execute {
                let (control, context) = loopBound.value
                control.reply(simulator.stats, context)
            }
        }
        let isReached = simulator.withState { state in
            if state.accepted >= count { return true }
            state.waiters.append(SimulatorState.Waiter(count: count, done: done))
            return false
        }
        if isReached { done() }
    }

    private func reply(_ line: String, _ context: ChannelHandlerContext) {
        var buffer = context.channel.allocator.buffer(capacity: line.utf8.count + 2)
        buffer.writeString(line + "\n\n")
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }
}
