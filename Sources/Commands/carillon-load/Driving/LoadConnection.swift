import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// One connection of the load, with many requests in flight and no task or continuation for each.
///
/// It is confined to the event loop of its channel.
final class LoadConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A delegate that sends requests and receives their results.
    protocol Delegate: AnyObject {
        /// Called when the connection accepts requests.
        func connectionOpened(_ connection: LoadConnection)
        /// Called when a request was answered or refused.
        func requestFinished(
            _ request: LoadCounts.PendingRequest, with result: Result<AnyAnswer, RequestError>,
            atNanoseconds now: UInt64)
        /// Called when there may be room for more requests: all received bytes were read, or the channel is writable
        /// again.
        func connectionReady(_ connection: LoadConnection)
        /// Called when the connection has ended, or could not be made. The requests in `lost` will not be answered.
        func connectionEnded(_ connection: LoadConnection, lost: [LoadCounts.PendingRequest])
    }

    private weak var delegate: (any Delegate)?
    let maximumInFlight: Int
    private let options: ClientSessionOptions
    // Not optional: to read a property of an optional session copies the session. It is made anew when the channel is
    // active, because its handshake has a time limit.
    private var session: ClientSession
    private var hasBegun = false
    private var context: ChannelHandlerContext?
    private var pending = AscendingTable<LoadCounts.PendingRequest>()
    private var inbox = ByteBuffer()
    private var hasEnded = false
    /// True if the connection accepts requests.
    private(set) var isOpen = false

    init(_ options: ClientSessionOptions, maximumInFlight: Int, delegate: any Delegate) {
        self.options = options
        self.maximumInFlight = maximumInFlight
        self.delegate = delegate
        session = ClientSession(options: options, now: Clock.uptime())
    }

    /// The number of requests that would be sent at once.
    var roomCount: Int {
        isOpen && context?.channel.isWritable == true ? min(maximumInFlight - pending.count, session.room) : 0
    }

    var requestsInFlight: [LoadCounts.PendingRequest] { pending.elements.map(\.value) }

    var isIdle: Bool { pending.isEmpty }

    /// Sends a request with the next `flush`, and reports its result as the one of `pendingRequest`. A local refusal is
    /// reported at once.
    func send(_ request: some Operation, as pendingRequest: LoadCounts.PendingRequest) {
        let sentAt = Uptime(milliseconds: pendingRequest.sentNanoseconds / 1_000_000)
        switch session.submit(request, deadline: nil, at: sentAt) {
        case .sent(let id): pending[id] = pendingRequest
        case .refused(let error):
            fail(pendingRequest, with: error, atNanoseconds: pendingRequest.sentNanoseconds)
        case .sendLater, .sendOnAnotherConnection:
            let error = RequestError(.draining, message: "the connection accepts no more requests")
            fail(pendingRequest, with: error, atNanoseconds: pendingRequest.sentNanoseconds)
        }
    }

    func flush() {
        guard hasBegun, let context, !session.output.bytes.isEmpty else { return }
        let buffer = context.channel.allocator.buffer(bytes: session.output.bytes)
        session.output.removeAll()
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    /// Sends a PING to a server that is silent, or closes the connection if it stays silent. Called every second.
    func probeOrClose() {
        guard hasBegun else { return }
        let overdue = session.timerFired(at: Clock.uptime())
        flush()
        if overdue.sessionEnd != nil { close() }
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
        if context.channel.isWritable { delegate?.connectionReady(self) }
        context.fireChannelWritabilityChanged()
    }

    private func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        session = ClientSession(options: options, now: Clock.uptime())
        flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if inbox.readableBytes == 0 { inbox = bytes } else { inbox.writeBuffer(&bytes) }
        // The clock is read once for all received frames.
        let now = Clock.uptimeNanoseconds()
        // A session that is closed returns `needMore` too, so the loop ends.
        while true {
            let (consumed, step) = inbox.withUnsafeReadableBytes {
                session.received($0, at: Uptime(milliseconds: now / 1_000_000))
            }
            guard step != .needMore else { break }
            inbox.moveReaderIndex(forwardBy: consumed)
            handle(step, atNanoseconds: now)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        delegate?.connectionReady(self)
        flush()
        context.fireChannelReadComplete()
    }

    /// Tells the delegate what the session has read.
    private func handle(_ step: ClientStep, atNanoseconds now: UInt64) {
        switch step {
        case .needMore, .proceed, .event, .pingAnswered, .position: break
        case .opened:
            isOpen = true
            delegate?.connectionOpened(self)
        case .answered(let answer, let id):
            if let request = pending.remove(id) {
                delegate?.requestFinished(request, with: .success(answer), atNanoseconds: now)
            }
        case .refused(let error, let id):
            if let request = pending.remove(id) { fail(request, with: error, atNanoseconds: now) }
        case .unreadable(let fault, let id):
            if let request = pending.remove(id) { fail(request, with: RequestError(fault), atNanoseconds: now) }
        case .goingAway(_, let ids):
            let error = RequestError(.draining, message: "the server is stopping")
            for id in ids {
                if let request = pending.remove(id) { fail(request, with: error, atNanoseconds: now) }
            }
        case .close:
            flush()
            close()
        }
    }

    private func fail(_ request: LoadCounts.PendingRequest, with error: RequestError, atNanoseconds now: UInt64) {
        delegate?.requestFinished(request, with: .failure(error), atNanoseconds: now)
    }

    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        isOpen = false
        let lost = requestsInFlight
        pending = AscendingTable()
        delegate?.connectionEnded(self, lost: lost)
    }
}
