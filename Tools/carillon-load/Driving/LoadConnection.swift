import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// One connection of the load: as many requests under way as it is given, without a task or a continuation for any of them.
///
/// Confined to the event loop of its channel.
final class LoadConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Who gives requests and is told what became of them.
    protocol Owner: AnyObject {
        /// Requests may be sent.
        func opened(_ connection: LoadConnection)
        /// A request was answered, or refused.
        func finished(_ flight: Tally.Flight, _ result: Result<AnyAnswer, ErrorReply>, at now: UInt64)
        /// All that had come was read: there may be room.
        func hasRead(_ connection: LoadConnection)
        /// It has ended, or was never there; what was under way will not be answered.
        func ended(_ connection: LoadConnection, lost: [Tally.Flight])
    }

    private weak var owner: (any Owner)?
    private let settings: ClientSessionSettings
    /// Requests under way at most.
    let depth: Int
    private var session: ClientSession?
    private var context: ChannelHandlerContext?
    private var flights: [UInt64: Tally.Flight] = [:]
    private var inbox = ByteBuffer()
    private var hasEnded = false
    /// Whether it may take requests.
    private(set) var isOpen = false

    /// At most `depth` requests are under way.
    init(_ settings: ClientSessionSettings, depth: Int, owner: any Owner) {
        self.settings = settings
        self.depth = depth
        self.owner = owner
        flights.reserveCapacity(depth)
    }

    /// Nanoseconds of uptime.
    static var now: UInt64 { NIODeadline.now().uptimeNanoseconds }

    /// Whether a request would be sent at once.
    var hasRoom: Bool {
        isOpen && flights.count < depth && session?.canSubmit == true && context?.channel.isWritable == true
    }

    /// Requests under way.
    var underWay: [Tally.Flight] { Array(flights.values) }

    var isIdle: Bool { flights.isEmpty }

    /// Sends a request with the next `flush`; a refusal that needs no server is told at once.
    func send(_ request: some Operation, _ flight: Tally.Flight) {
        switch session?.submit(request, deadline: nil, at: flight.sent / 1_000_000) {
        case .sent(let id): flights[id] = flight
        case .refused(let reply): owner?.finished(flight, .failure(reply), at: flight.sent)
        case .wait, .elsewhere, nil:
            let reply = ErrorReply(.draining, message: "the connection takes no requests any more")
            owner?.finished(flight, .failure(reply), at: flight.sent)
        }
    }

    /// Writes what was sent.
    func flush() {
        guard let context, session?.output.bytes.isEmpty == false,
            let buffer = session.map({ context.channel.allocator.buffer(bytes: $0.output.bytes) })
        else { return }
        session?.output.removeAll()
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    /// Answers the server's silence with a PING; called every second.
    func upkeep() {
        guard let overdue = session?.timerFired(at: Self.now / 1_000_000) else { return }
        flush()
        if overdue.closure != nil { close() }
    }

    func close() {
        context?.close(promise: nil)
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { begin() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        end()
    }

    func channelActive(context: ChannelHandlerContext) {
        begin()
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { owner?.hasRead(self) }
        context.fireChannelWritabilityChanged()
    }

    private func begin() {
        guard session == nil else { return }
        session = ClientSession(settings: settings, now: Self.now / 1_000_000)
        flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if inbox.readableBytes == 0 { inbox = bytes } else { inbox.writeBuffer(&bytes) }
        // One look at the clock for all that has come: none of it came later.
        let now = Self.now
        while session?.isClosed == false {
            let result = inbox.withUnsafeReadableBytes { session?.received($0, at: now / 1_000_000) }
            guard let (consumed, step) = result, step != .needMore else { break }
            inbox.moveReaderIndex(forwardBy: consumed)
            take(step, now)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        owner?.hasRead(self)
        flush()
        context.fireChannelReadComplete()
    }

    private func take(_ step: ClientStep, _ now: UInt64) {
        switch step {
        case .needMore, .proceed, .event, .ponged: break
        case .opened:
            isOpen = true
            owner?.opened(self)
        case .answered(let response, let id):
            if let flight = flights.removeValue(forKey: id) { owner?.finished(flight, .success(response), at: now) }
        case .refused(let reply, let id):
            if let flight = flights.removeValue(forKey: id) { owner?.finished(flight, .failure(reply), at: now) }
        case .unreadable(let fault, let id):
            guard let flight = flights.removeValue(forKey: id) else { return }
            owner?.finished(flight, .failure(ErrorReply(fault)), at: now)
        case .goingAway(_, let ids):
            let reply = ErrorReply(.draining, message: "the server is stopping")
            for id in ids {
                if let flight = flights.removeValue(forKey: id) { owner?.finished(flight, .failure(reply), at: now) }
            }
        case .close:
            flush()
            close()
        }
    }

    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        isOpen = false
        let lost = underWay
        flights = [:]
        owner?.ended(self, lost: lost)
    }
}
