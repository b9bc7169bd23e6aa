import CarillonCore
import NIOCore

/// The control port. Each line is a command, answered by lines of JSON and an empty line.
final class ControlPort: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let service: any SimulatedService
    private var pending: [UInt8] = []
    /// True if a response is sent in parts. Commands wait for its end.
    private var isSendingParts = false

    private static let maximumLineBytes = 64 << 10

    init(_ service: any SimulatedService) { self.service = service }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        pending.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        runPending(context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func runPending(_ context: ChannelHandlerContext) {
        while !isSendingParts, let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: pending[..<end], as: UTF8.self)
            pending.removeFirst(end + 1)
            if let command = ControlCommand(line) { respond(to: command, in: context) }
        }
        if pending.count > Self.maximumLineBytes { context.close(promise: nil) }
    }

    private func respond(to command: ControlCommand, in context: ChannelHandlerContext) {
        switch response(to: command, on: context.eventLoop) {
        case .lines(let lines): write(lines + [""], to: context)
        case .parts(let next):
            isSendingParts = true
            send(next, to: context)
        case .statsLater(let when):
            let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            let loop = context.eventLoop
            when {
                loop.execute {
                    let (port, context) = loopBound.value
                    port.write([port.service.stats, ""], to: context)
                }
            }
        }
    }

    private func response(to command: ControlCommand, on loop: any EventLoop) -> ControlResponse {
        switch command.name {
        case "stats": return .line(service.stats)
        case "reset":
            service.reset()
            service.connections.forgetViolations()
            service.withFaults { $0.forgetCounts() }
        case "rule":
            do { try service.addRule(command.argument) } catch { return .error("\(error)") }
            service.startPendingFaults(on: loop)
        case "max-streams":
            guard let limit = UInt32(command.argument) else { return .error("not a number") }
            return sendToAll(.maxStreams(limit))
        case "calm":
            service.removeFaults()
            return sendToAll(.endFaults)
        case "goaway": return sendToAll(.fault(.goAway(service.goAway)))
        default:
            return service.carryOut(command)
                ?? .error("unknown command; there are \(type(of: service).commands)")
        }
        return .done
    }

    private func sendToAll(_ command: OpenConnections.Command) -> ControlResponse {
        .line("{\"connections\":\(service.connections.sendToAll(command))}")
    }

    /// Sends a part of a response, and the next one when the client has read it. So a response of a million lines needs
    /// no more memory than one of a few.
    private func send(_ next: @escaping () -> [String]?, to context: ChannelHandlerContext) {
        guard let lines = next() else {
            isSendingParts = false
            write([""], to: context)
            return runPending(context)
        }
        let loopBound = NIOLoopBound((self, next, context), eventLoop: context.eventLoop)
        write(lines, to: context).whenSuccess {
            let (port, next, context) = loopBound.value
            port.send(next, to: context)
        }
    }

    @discardableResult
    private func write(_ lines: [String], to context: ChannelHandlerContext) -> EventLoopFuture<Void> {
        var buffer = context.channel.allocator.buffer(capacity: 256 + lines.count * 120)
        for line in lines { buffer.writeString(line + "\n") }
        return context.writeAndFlush(wrapOutboundOut(buffer))
    }
}

/// Formats a text for the lines of JSON that simulators write.
extension String {
    /// The text as a string of JSON, with its quotes.
    package var asJSON: String { JSONValue.quoted(self) }
}
