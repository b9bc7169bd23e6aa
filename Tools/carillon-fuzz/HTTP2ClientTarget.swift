import CarillonAPNs
import CarillonCore
import CarillonHTTP2
import CarillonProvider

/// The HTTP/2 client and the adapter of APNs, which get the bytes of a hostile APNs while streams are open.
///
/// Byte 0: the behaviour of the client. Byte 1: how the stream is cut. Then the stream.
enum HTTP2ClientTarget {
    static func run(_ input: inout FuzzInput) {
        let behaviour = Behaviour(rawValue: input.byte())
        let seed = input.byte()
        do {
            try FuzzedClient(behaviour, seed: seed).run(input.rest())
        } catch {
            demand(false, "a session cannot be made: \(error)")
        }
    }

    struct Behaviour: OptionSet {
        let rawValue: UInt8
        /// The stream begins with the SETTINGS of a server, so that the bytes that follow are for open streams.
        static let greets = Behaviour(rawValue: 1)
        static let hasBodies = Behaviour(rawValue: 2)
        static let cancels = Behaviour(rawValue: 4)
        static let pings = Behaviour(rawValue: 8)
        static let leaves = Behaviour(rawValue: 16)
        /// The client leaves bytes unsent while it receives.
        static let writesSlowly = Behaviour(rawValue: 32)
    }
}

/// A connection to APNs around the session, with its invariants.
private final class FuzzedClient {
    private let behaviour: HTTP2ClientTarget.Behaviour
    private var random: StreamSplitter
    private let session: HTTP2ClientSession
    private let headers: PreparedHeaders
    private let body: PreparedBody?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)
    private var submittedCount: UInt64 = 0
    private var endedTags: Set<UInt64> = []
    private var openStreams: [Int32] = []

    private static let settings = ClientSettings()
    private static let maximumRequests: UInt64 = 24
    /// The SETTINGS: 100 streams and a window of 65,535; then the acknowledgement of the client's SETTINGS.
    private static let greeting: [UInt8] =
        [0, 0, 12, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100, 0, 4, 0, 0, 0xFF, 0xFF] + [0, 0, 0, 4, 1, 0, 0, 0, 0]

    init(_ behaviour: HTTP2ClientTarget.Behaviour, seed: UInt8) throws {
        self.behaviour = behaviour
        random = StreamSplitter(seed: seed)
        session = try HTTP2ClientSession(settings: Self.settings)
        headers = try PreparedHeaders(authority: "api.push.apple.com", fields: [HeaderField("apns-topic", "a.b")])
        body = behaviour.contains(.hasBodies) ? PreparedBody([UInt8](repeating: 0x7B, count: 5_000)) : nil
    }

    deinit { buffer.deallocate() }

    func run(_ stream: [UInt8]) throws {
        try send()
        var isOver = behaviour.contains(.greets) ? !receive(Self.greeting[...]) : false
        var offset = 0
        while offset < stream.count, !isOver {
            let count = random.piece(of: stream.count - offset)
            isOver = !receive(stream[offset..<offset + count])
            offset += count
        }
        session.close()
        session.close()
        checkEnd()
    }

    /// Receives a piece and acts on what came. Returns false if the connection is over.
    private func receive(_ piece: ArraySlice<UInt8>) -> Bool {
        do {
            try piece.withUnsafeBytes { try session.receive($0) }
            drain()
            submit()
            if behaviour.contains(.cancels), random.next(below: 4) == 0, let stream = openStreams.popLast() {
                try session.cancel(stream: stream)
            }
            if behaviour.contains(.pings), random.next(below: 4) == 0 { try session.ping(7) }
            if behaviour.contains(.leaves), random.next(below: 16) == 0 { try session.goAway() }
            if !behaviour.contains(.writesSlowly) || random.next(below: 4) == 0 { try send() }
            return session.wantsRead || session.wantsWrite
        } catch {
            drain()
            // Why try?: the remaining bytes tell the peer the reason; another failure changes nothing.
            try? send()
            return false
        }
    }

    private func submit() {
        let path = Array("/3/device/00".utf8)
        while session.availableStreams > 0, submittedCount < Self.maximumRequests, random.next(below: 4) != 0 {
            do {
                let stream = try path.withUnsafeBytes { path in
                    try session.submit(headers: headers, path: path, requestID: path, body: body, tag: submittedCount)
                }
                openStreams.append(stream)
                submittedCount += 1
            } catch {
                demand(
                    error as? HTTP2Error == .streamsNotAllowed, "a stream is available and a request refused: \(error)")
                return
            }
        }
    }

    private func send() throws(HTTP2Error) {
        var total = 0
        while true {
            let count = try session.fill(
                UnsafeMutableRawBufferPointer(rebasing: buffer[..<(1 + random.next(below: 4_096))]))
            drain()
            if count == 0 { break }
            total += count
            demand(total <= 1 << 20, "more than a mebibyte to send")
        }
    }

    private func drain() {
        session.takeEvents { event, bytes in
            switch event {
            case .streamClosed(let end):
                demand(end.tag < submittedCount && endedTags.insert(end.tag).inserted, "request \(end.tag) ends twice")
                demand(bytes.count <= Self.settings.maximumBodyBytes, "\(bytes.count) bytes of body")
                demand(end.wasSent || end.status == 0, "an answer to a request that was not sent")
                let stream = ClosedStream(
                    status: end.status, isComplete: end.isComplete, isMalformed: end.isMalformed, wasSent: end.wasSent,
                    errorCode: end.errorCode.rawValue,
                    retryAfterMilliseconds: end.retryAfter?.milliseconds(atWallMilliseconds: 0))
                let adapter = APNsAdapter(epoch: .zero)
                APNsAnswerTarget.check(AttemptEnd(stream, body: bytes, of: adapter, at: .zero), of: stream)
                for request in [ChannelManagementRequest.create(.none), .list] {
                    _ = ChannelManagementResult(
                        request, endedBy: stream, body: bytes, isBodyCut: end.isBodyCut, now: .zero)
                }
            case .answerField(let field):
                demand(field.tag < submittedCount && !endedTags.contains(field.tag), "a field of no open request")
                demand(bytes.count <= 1_024, "\(bytes.count) bytes of a field")
            case .goAway:
                demand(bytes.count <= 1_024, "\(bytes.count) bytes of debug data")
                _ = APNsAdapter(epoch: .zero).goAway(debugData: bytes)
            case .settings, .settingsAcknowledged, .pingAcknowledged: break
            }
        }
        demand(session.openStreams == Int(submittedCount) - endedTags.count, "a request is lost")
    }

    private func checkEnd() {
        drain()
        var open: Set<UInt64> = []
        session.forEachOpenStream { tag, _, _, _ in open.insert(tag) }
        demand(
            open.isDisjoint(with: endedTags) && open.count + endedTags.count == Int(submittedCount), "a request is lost"
        )
        demand(!session.wantsRead && !session.wantsWrite && session.availableStreams == 0, "open after close")
    }
}
