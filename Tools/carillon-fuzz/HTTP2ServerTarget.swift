import CarillonHTTP2
import CarillonHTTP2Server

/// The HTTP/2 server of the simulators, which gets the bytes of a hostile client.
///
/// Byte 0: the behaviour of the server. Byte 1: how the stream is cut. Then the stream.
enum HTTP2ServerTarget {
    static func run(_ input: inout FuzzInput) {
        let behaviour = Behaviour(rawValue: input.byte())
        let seed = input.byte()
        do {
            try FuzzedServer(behaviour, seed: seed).run(input.rest())
        } catch {
            demand(false, "a session cannot be made: \(error)")
        }
    }

    struct Behaviour: OptionSet {
        let rawValue: UInt8
        /// The stream begins with the preface and the SETTINGS of a client.
        static let greets = Behaviour(rawValue: 1)
        static let hasBodies = Behaviour(rawValue: 2)
        static let answersLate = Behaviour(rawValue: 4)
        static let resets = Behaviour(rawValue: 8)
        static let changesLimits = Behaviour(rawValue: 16)
        static let writesSlowly = Behaviour(rawValue: 32)
    }
}

/// A server around the session, with its invariants.
private final class FuzzedServer {
    private let behaviour: HTTP2ServerTarget.Behaviour
    private var random: StreamSplitter
    private let session: HTTP2ServerSession
    private let answer: PreparedResponse
    private let body: PreparedBody?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)
    private var unansweredStreams: [Int32] = []
    private var closedStreams: Set<Int32> = []

    private static let settings: HTTP2ServerSettings = {
        var settings = HTTP2ServerSettings()
        settings.maxConcurrentStreams = 8
        return settings
    }()
    private static let greeting: [UInt8] =
        Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0] + [0, 0, 0, 4, 1, 0, 0, 0, 0]

    init(_ behaviour: HTTP2ServerTarget.Behaviour, seed: UInt8) throws {
        self.behaviour = behaviour
        random = StreamSplitter(seed: seed)
        session = try HTTP2ServerSession(settings: Self.settings)
        answer = try PreparedResponse(status: 400, fields: [HeaderField("content-type", "application/json")])
        body = behaviour.contains(.hasBodies) ? PreparedBody([UInt8](repeating: 0x7B, count: 3_000)) : nil
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
        drain()
        demand(!session.wantsRead && !session.wantsWrite, "open after close")
    }

    /// Receives a piece and acts on what came. Returns false if the connection is over.
    private func receive(_ piece: ArraySlice<UInt8>) -> Bool {
        do {
            try piece.withUnsafeBytes { try session.receive($0) }
            drain()
            if behaviour.contains(.answersLate), random.next(below: 2) == 0, let stream = unansweredStreams.popLast() {
                respond(stream)
            }
            if behaviour.contains(.changesLimits), random.next(below: 8) == 0 {
                try session.update(maxConcurrentStreams: UInt32(1 + random.next(below: 8)))
                try session.update(initialWindowSize: UInt32(random.next(below: 65_536)))
                try session.ping(3)
            }
            if !behaviour.contains(.writesSlowly) || random.next(below: 4) == 0 { try send() }
            return session.wantsRead || session.wantsWrite
        } catch {
            drain()
            // Why try?: the remaining bytes tell the peer the reason; another failure changes nothing.
            try? session.goAway(lastStreamID: session.lastStreamID, code: .protocolError, debugData: [0x7B])
            try? send()
            return false
        }
    }

    private func drain() {
        session.takeEvents { event in
            switch event {
            case .request(let request): check(request)
            case .streamClosed(let stream, _):
                demand(closedStreams.insert(stream).inserted, "stream \(stream) is closed twice")
            case .settings, .settingsAcknowledged, .goAway, .pingAcknowledged: break
            }
        }
        demand((0...8).contains(session.openStreams), "\(session.openStreams) streams are open")
    }

    private func check(_ request: Request) {
        demand(request.body.count <= Self.settings.maximumBodyBytes, "\(request.body.count) bytes of body")
        demand(request.bodyLength >= request.body.count, "more body is kept than came")
        var fields = 0
        var sum = 0
        request.forEachHeader { name, value in
            fields += 1
            sum += name.count + value.count
            // Reads every byte, so that the sanitizer checks it.
            sum += name.reduce(0) { $0 + Int($1 & 0) } + value.reduce(0) { $0 + Int($1 & 0) }
        }
        demand(fields == request.headerCount, "\(fields) of \(request.headerCount) fields")
        demand(sum <= Int(Self.settings.maxHeaderListSize), "\(sum) bytes of headers")
        if behaviour.contains(.answersLate) { return unansweredStreams.append(request.stream) }
        respond(request.stream)
    }

    private func respond(_ stream: Int32) {
        do {
            if behaviour.contains(.resets), random.next(below: 3) == 0 {
                return try session.reset(stream: stream, code: .refusedStream)
            }
            try Array("0123".utf8).withUnsafeBytes { id in
                try session.respond(to: stream, with: answer, requestID: id, body: body)
            }
        } catch let error as HTTP2Error {
            demand(error == .unknownStream, "an answer is refused: \(error)")
        } catch {
            demand(false, "an unknown error: \(error)")
        }
    }

    private func send() throws(HTTP2Error) {
        var total = 0
        while case let count = try session.fill(
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<(1 + random.next(below: 4_096))])), count > 0
        {
            total += count
            demand(total <= 1 << 20, "more than a mebibyte to send")
        }
    }
}
