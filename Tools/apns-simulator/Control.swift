import NIOCore

/// The control port: a command a line, answered by lines of JSON and an empty line.
final class Control: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let world: World
    private var pending: [UInt8] = []

    private static let maxLine = 64 << 10

    init(world: World) { self.world = world }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        pending.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
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
        case "dump": reply(dump(), context)
        case "reset":
            world.withState { state in
                state.ledger = Ledger()
                state.rejected = [:]
                state.requests = 0
                state.violations = 0
                state.rules.faults.forgetCounts()
                state.payloads = [:]
            }
            reply([#"{"ok":true}"#], context)
        case "wait": wait(argument, context)
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
        default: reply([#"{"error":"unknown command"}"#], context)
        }
    }

    private func tellAll(_ order: World.Order, _ context: ChannelHandlerContext) {
        reply(["{\"connections\":\(world.tellAll(order))}"], context)
    }

    private func device(_ hex: String) -> String {
        guard let token = DeviceToken(hex: hex) else { return #"{"error":"not a token"}"# }
        return world.withState { state in
            let payload = state.payloads[token].map { ",\"payload\":" + quoted(String(decoding: $0, as: UTF8.self)) }
            return "{\"token\":\(quoted(token.text)),\"count\":\(state.ledger.count(of: token))\(payload ?? "")}"
        }
    }

    private func dump() -> [String] {
        world.withState { state in
            var lines: [String] = []
            state.ledger.forEachDevice { lines.append("{\"token\":\(quoted($0.text)),\"count\":\($1)}") }
            return lines
        }
    }

    private func wait(_ argument: String, _ context: ChannelHandlerContext) {
        guard let count = Int(argument) else { return reply([#"{"error":"not a number"}"#], context) }
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
            if state.ledger.accepted >= count { return true }
            state.waiters.append((count, done))
            return false
        }
        if isReached { done() }
    }

    private func reply(_ lines: [String], _ context: ChannelHandlerContext) {
        var buffer = context.channel.allocator.buffer(capacity: 256)
        for line in lines { buffer.writeString(line + "\n") }
        buffer.writeString("\n")
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }
}
