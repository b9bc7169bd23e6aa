import CarillonCore
package import CarillonWire

/// The gateway's end of a connection to the server in the same process: preface, HELLO, AUTH, then requests. Most
/// payloads are encoded already. The session has no sockets and no clock.
///
/// It is not the `ClientSession` of CarillonSession. The server is the same program, so this session needs no pings, no
/// window, no deadlines and no positions. It decodes only errors and control frames, and ignores the answer to HELLO.
/// All other payloads are passed on as they are. Bytes that are not as the protocol says end the session, and do not
/// trap.
package struct GatewaySession {
    /// The result of reading the next frame.
    package enum Step: Hashable, Sendable {
        /// No frame is complete: more bytes are needed.
        case needMore
        /// A frame was handled: call again.
        case proceed
        /// The server has accepted the key. `answer` is the payload of AUTH's answer.
        case opened(answer: [UInt8])
        case answered(id: UInt64, opcode: Opcode, payload: [UInt8])
        case refused(id: UInt64, payload: [UInt8])
        /// An event of the subscription with that id has come.
        case event(subscription: UInt64, payload: [UInt8])
        /// The session takes no new requests; requests that were sent are still answered. With `isWithdrawn` the server
        /// no longer accepts the key.
        case goingAway(isWithdrawn: Bool)
        /// The session has ended. `payload` is the payload of the server's error, if it has sent one.
        case closed(payload: [UInt8]?)
    }

    /// The part of the protocol that the session waits for. Every phase also leads to `closed`, when the session fails
    /// or is ended.
    private enum Phase {
        /// The session waits for the server's preface. Leads to `hello`.
        case preface
        /// The session waits for the answer to HELLO. Leads to `authenticating`.
        case hello
        /// The session waits for the answer to AUTH. Leads to `open`.
        case authenticating
        /// The session takes requests, and waits for their answers.
        case open
        /// The session has ended. Final.
        case closed
    }

    /// The bytes for the server that were not taken.
    private var output = FrameWriter()
    private var input: [UInt8] = []
    private var consumedBytes = 0
    private var phase = Phase.preface
    private var lastID: UInt64 = 0
    private let key: [UInt8]

    /// Makes a session that is ready to send the preface and HELLO.
    ///
    /// - Parameter key: the API key, 1 to 256 bytes.
    package init(key: [UInt8]) {
        self.key = key
        output.raw(Preface.clientBytes)
        output.request(
            HelloRequest(software: "gateway", receiveLimit: UInt32(WireLimits.frameBytes)), id: nextID())
    }

    package mutating func takeOutput() -> [UInt8] { output.take() }

    /// Sends a request whose payload is encoded already, and returns its id.
    package mutating func submit(_ opcode: Opcode, payload: [UInt8]) -> UInt64 {
        let id = nextID()
        output.request(opcode, payload: payload, id: id)
        return id
    }

    package mutating func submit(_ request: some Operation) -> UInt64 {
        let id = nextID()
        output.request(request, id: id)
        return id
    }

    private mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Takes bytes of the server; `next` reads the frames in them.
    package mutating func append(_ bytes: some Sequence<UInt8>) {
        if consumedBytes > 0 {
            input.removeFirst(consumedBytes)
            consumedBytes = 0
        }
        input.append(contentsOf: bytes)
    }

    /// Handles the next frame.
    package mutating func next() -> Step {
        switch phase {
        case .closed: return .needMore
        case .preface: return readPreface()
        default: return readFrame()
        }
    }

    private mutating func readPreface() -> Step {
        guard input.count - consumedBytes >= Preface.byteCount else { return .needMore }
        let version = input[consumedBytes...].withUnsafeBytes { Preface.chosenVersion($0) }
        guard let version, version <= Preface.version else { return close() }
        consumedBytes += Preface.byteCount
        // With version 0 an error frame follows, for example because there are too many connections.
        phase = .hello
        return .proceed
    }

    private mutating func readFrame() -> Step {
        guard let header = input[consumedBytes...].withUnsafeBytes({ FrameHeader($0) }) else { return .needMore }
        guard header.length <= WireLimits.frameBytes else { return close() }
        let end = consumedBytes + FrameHeader.byteCount + Int(header.length)
        guard end <= input.count else { return .needMore }
        let payload = Array(input[consumedBytes + FrameHeader.byteCount..<end])
        consumedBytes = end
        switch FrameKind(rawValue: header.kind) {
        case .answer: return answerReceived(header, payload: payload)
        case .error: return errorReceived(header, payload: payload)
        case .event: return .event(subscription: header.id, payload: payload)
        case .control: return controlReceived(header, payload: payload)
        default: return close()
        }
    }

    private mutating func answerReceived(_ header: FrameHeader, payload: [UInt8]) -> Step {
        switch phase {
        case .hello:
            phase = .authenticating
            output.request(AuthenticateRequest(key: key), id: nextID())
            return .proceed
        case .authenticating:
            phase = .open
            return .opened(answer: payload)
        default: return .answered(id: header.id, opcode: header.opcode, payload: payload)
        }
    }

    private mutating func errorReceived(_ header: FrameHeader, payload: [UInt8]) -> Step {
        // An error of the connection ends the session, and so does any error before the session is open.
        // Why try?: an error that cannot be read ends the session as well.
        let error = payload.withUnsafeBytes { try? RequestError(decoding: $0) }
        guard phase == .open, error?.scope == .request else { return close(because: payload) }
        return .refused(id: header.id, payload: payload)
    }

    private mutating func controlReceived(_ header: FrameHeader, payload: [UInt8]) -> Step {
        // Why try?: nil is handled as a case.
        switch payload.withUnsafeBytes({ try? Control.decode($0, of: header) }) {
        case .ping(let ping):
            if !ping.isAcknowledgement { output.ping(Ping(isAcknowledgement: true, payload: ping.payload)) }
            return .proceed
        case .goAway(let goAway): return .goingAway(isWithdrawn: goAway.code == .authenticationFailed)
        case .position, .unknown: return .proceed
        case nil: return close()
        }
    }

    /// Ends the session.
    ///
    /// - Parameter error: the payload of the server's error; nil if it has sent none.
    private mutating func close(because error: [UInt8]? = nil) -> Step {
        phase = .closed
        return .closed(payload: error)
    }
}
