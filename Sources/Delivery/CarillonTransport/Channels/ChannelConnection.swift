import CarillonAPNs
import CarillonClock
import CarillonCore
import CarillonHTTP2
import CarillonProvider
import Logging
import NIOCore

/// One connection to APNs' channel management, on one event loop: it sends requests, and the ends of streams become
/// results. `ChannelManagementDispatcher` decides what is sent.
final class ChannelConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// An event that the connection reports to its owner, on its event loop.
    enum Event {
        case ready
        case ended(ChannelManagementSchedule.Number, ChannelManagementResult)
        /// The connection takes no new requests. Reported once.
        case retired
        /// The connection is closed. Reported once, after every request has ended.
        case closed
    }

    private struct SentRequest {
        var request: ChannelManagementRequest
        var stream: Int32
        var channelID: String?
    }

    private let target: PoolTarget
    private let report: (Event) -> Void
    private let loop: any EventLoop
    private let logger: Logger
    private var secureHTTP2: SecureHTTP2?
    private var context: ChannelHandlerContext?
    private var sent: [ChannelManagementSchedule.Number: SentRequest] = [:]
    private var hasSettings = false
    private var hasRetired = false
    private var isClosing = false
    private var hasEnded = false

    /// The limits of the HTTP/2 session: a list of channels is long.
    private static let settings: ClientSettings = {
        var settings = ClientSettings()
        settings.maximumBodyBytes = ChannelAnswer.maximumBodyBytes
        settings.maximumTotalBodyBytes = 4 * ChannelAnswer.maximumBodyBytes
        return settings
    }()

    init(_ target: PoolTarget, loop: any EventLoop, logger: Logger, report: @escaping (Event) -> Void) {
        self.target = target
        self.loop = loop
        self.logger = logger
        self.report = report
    }

    /// The number of requests that the connection takes now.
    var availableStreams: Int {
        guard let http2 = secureHTTP2?.http2, hasSettings, !hasRetired, !isClosing else { return 0 }
        return http2.availableStreams
    }

    // MARK: Sending

    /// Sends a request. Its end is reported, even if it cannot be sent.
    func send(_ request: ChannelManagementRequest, of app: AppID, as number: ChannelManagementSchedule.Number) {
        guard let http2 = secureHTTP2?.http2 else { return report(.ended(number, .notSent)) }
        do {
            let authorization = try target.requestAuthorization(at: Clock.now())
            var fields = request.headers.map { header in
                HeaderField(header.name, header.value, indexing: header.isIndexed ? .incremental : .never)
            }
            if let authorization {
                fields.append(HeaderField("authorization", authorization.value, indexing: .never))
            }
            let headers = try PreparedHeaders(
                authority: target.server.certificateName, method: request.method, fields: fields)
            let body = request.body.isEmpty ? nil : PreparedBody(request.body)
            let path = Array(request.path(for: app).utf8)
            let stream = try path.withUnsafeBytes { path in
                try http2.submit(headers: headers, path: path, body: body, tag: number)
            }
            sent[number] = SentRequest(request: request, stream: stream)
        } catch {
            logger.warning("a request of channel management cannot be sent", metadata: ["error": "\(error)"])
            report(.ended(number, .notSent))
            retire()
        }
    }

    /// Writes what was sent.
    func flush() {
        guard let secureHTTP2, let context, !isClosing else { return }
        _ = secureHTTP2.flush(to: context, failed: { fail("bytes cannot be written", because: $0) })
        guard let http2 = secureHTTP2.http2, http2.hasEvents else { return }
        // Streams end in writing too.
        loop.assumeIsolated().execute { self.handleEvents() }
    }

    /// Cancels a request whose time is over, if it was sent on this connection, and does not report its end. The
    /// connection takes no new requests from then on, because it may be dead.
    func cancel(_ number: ChannelManagementSchedule.Number) {
        guard let sentRequest = sent.removeValue(forKey: number) else { return }
        // Why try?: a stream that is closed has its event already.
        try? secureHTTP2?.http2?.cancel(stream: sentRequest.stream)
        flush()
        retire()
        closeIfDone()
    }

    /// Closes the connection, because it has taken too long to be ready.
    func abandon() { fail("APNs' channel management does not answer", because: SettingsTimeoutError()) }

    /// Takes no new requests, awaits the answers on the way, and closes.
    func retire() {
        guard !hasRetired else { return }
        hasRetired = true
        report(.retired)
        closeIfDone()
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        do {
            let secureHTTP2 = try SecureHTTP2(
                target.tls, serverName: target.server.certificateName, settings: Self.settings)
            self.secureHTTP2 = secureHTTP2
            _ = try secureHTTP2.advanceHandshake()
            flush()
        } catch {
            fail("TLS cannot begin", because: error)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        guard let secureHTTP2, !isClosing else { return }
        do {
            try secureHTTP2.receive(buffer)
            if secureHTTP2.http2 == nil, try secureHTTP2.advanceHandshake() { flush() }
            try read(secureHTTP2)
        } catch {
            // TLS or HTTP/2 may have bytes for the peer: an alert, a GOAWAY.
            flush()
            fail("the connection to APNs' channel management broke", because: error)
        }
    }

    private func read(_ secureHTTP2: SecureHTTP2) throws {
        while secureHTTP2.http2 != nil {
            switch try secureHTTP2.read() {
            case .more: handleEvents()
            case .allRead: return
            case .closed: return close()
            }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flush()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, secureHTTP2?.channelBecameWritable() ?? false { flush() }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail("the connection to APNs' channel management broke", because: error)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
        self.context = nil
    }

    // MARK: Events

    private func handleEvents() {
        let now = Clock.now()
        secureHTTP2?.http2?.takeEvents { event, bytes in
            switch event {
            case .settings:
                if !hasSettings {
                    hasSettings = true
                    loop.assumeIsolated().execute { self.report(.ready) }
                }
            case .answerField(let field):
                if field.name == .channelID { sent[field.tag]?.channelID = String(decoding: bytes, as: UTF8.self) }
            case .streamClosed(let stream): ended(stream, body: bytes, at: now)
            case .goAway(let goAway):
                logger.info(
                    "APNs' channel management sent GOAWAY",
                    metadata: [
                        "code": "\(goAway.errorCode)", "reason": "\(APNsAnswer.parse(bytes).reason ?? "none")",
                    ])
                // `retire` calls the owner, who may open another connection at once. So it waits for its own turn of
                // the loop, when all events of this read are handled.
                loop.assumeIsolated().execute { self.retire() }
            case .pingAcknowledged, .settingsAcknowledged: break
            }
        }
    }

    private func ended(_ stream: StreamEnd, body: UnsafeRawBufferPointer, at now: Moment) {
        guard let sentRequest = sent.removeValue(forKey: stream.tag) else { return }
        defer { loop.assumeIsolated().execute { self.closeIfDone() } }
        let closed = ClosedStream(
            status: stream.status, isComplete: stream.isComplete, isMalformed: stream.isMalformed,
            wasSent: stream.wasSent, errorCode: stream.errorCode.rawValue,
            retryAfterMilliseconds: stream.retryAfter?.milliseconds(atWallMilliseconds: now.wall.milliseconds))
        let result = ChannelManagementResult(
            sentRequest.request, endedBy: closed, body: body, isBodyCut: stream.isBodyCut,
            channelID: sentRequest.channelID, now: now.wall)
        if result.consequence == .replaceProviderToken { target.providerTokenExpired(at: now) }
        let number = stream.tag
        let report = report
        loop.assumeIsolated().execute {
            if result.consequence != .none { self.retire() }
            report(.ended(number, result))
        }
    }

    // MARK: The end

    private func fail(_ message: Logger.Message, because error: any Error) {
        guard !isClosing else { return }
        logger.warning(message, metadata: ["error": "\(ConnectionFault(error).text)"])
        close()
    }

    private func closeIfDone() {
        if hasRetired && sent.isEmpty { close() }
    }

    /// Closes the channel after the bytes that wait to be written.
    private func close() {
        guard !isClosing else { return }
        isClosing = true
        if let secureHTTP2, let context {
            // Why try?: a session that is broken has no GOAWAY to send.
            try? secureHTTP2.http2?.goAway()
            _ = secureHTTP2.flush(to: context, failed: { _ in })
            secureHTTP2.end(to: context)
            context.flush()
        }
        context?.close(promise: nil)
    }

    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        isClosing = true
        if let http2 = secureHTTP2?.http2 {
            // Streams that have ended and were not handled.
            handleEvents()
            http2.close()
            http2.forEachOpenStream { tag, _, wasSent, status in
                guard sent.removeValue(forKey: tag) != nil else { return }
                report(.ended(tag, ChannelManagementResult(atEndOfConnection: status, wasSent: wasSent)))
            }
        }
        if !hasRetired {
            hasRetired = true
            report(.retired)
        }
        report(.closed)
    }
}

/// The error of a connection that took too long until requests could be sent on it.
private struct SettingsTimeoutError: Error, CustomStringConvertible {
    var description: String { "timeout" }
}

extension ChannelManagementResult {
    /// The result of a request that was never written.
    fileprivate static let notSent = ChannelManagementResult(atEndOfConnection: 0, wasSent: false)
}
