import CarillonCore
import CarillonWire

/// The gateway's end of a connection to the server in the same process: preface, HELLO, AUTH, then requests whose
/// payloads are encoded already. It has no sockets and no clock.
///
/// The server is the same program, so what it sends is trusted as far as framing goes; bytes that are not as the protocol
/// says end the link and do not trap.
package struct ServerLink {
    /// What bytes of the server came to.
    package enum Step: Hashable, Sendable {
        /// There is no complete frame: more bytes are needed.
        case needMore
        /// A frame was handled: call again.
        case proceed
        /// The key is good. `identity` is the payload of AUTH's answer.
        case opened(identity: [UInt8])
        /// A request was answered.
        case answered(id: UInt64, opcode: UInt16, payload: [UInt8])
        /// A request was refused.
        case refused(id: UInt64, payload: [UInt8])
        /// An event of the subscription with that id.
        case event(subscription: UInt64, payload: [UInt8])
        /// No new requests on this link; those that were sent are answered. With `isWithdrawn` the key is no longer good.
        case goingAway(isWithdrawn: Bool)
        /// The link has ended. `payload` is that of the server's error, if it has sent one.
        case closed(payload: [UInt8]?)
    }

    private enum Phase {
        case preface
        case hello
        case authenticating
        case open
        case closed
    }

    /// Bytes for the server.
    package private(set) var output: [UInt8] = []
    private var input: [UInt8] = []
    private var consumed = 0
    private var phase = Phase.preface
    private var lastID: UInt64 = 0
    private let key: [UInt8]

    /// Makes a link with the preface and HELLO in `output`.
    ///
    /// - Parameter key: the API key, at most 256 bytes.
    package init(key: [UInt8]) {
        self.key = key
        output += Preface.client
        let software = Array("gateway".utf8)
        _ = submit(
            opcode: 1,
            payload: Self.big(UInt64(software.count), 2) + software + Self.big(UInt64(WireLimits.frameBytes), 4))
    }

    /// Takes the bytes that are to be sent.
    package mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// Sends a request and returns its id.
    package mutating func submit(opcode: UInt16, payload: [UInt8]) -> UInt64 {
        lastID += 1
        frame(kind: .request, flags: 0, opcode: opcode, id: lastID, payload: payload)
        return lastID
    }

    private mutating func frame(kind: FrameKind, flags: UInt8, opcode: UInt16, id: UInt64, payload: [UInt8]) {
        output +=
            Self.big(UInt64(payload.count), 4) + [kind.rawValue, flags] + Self.big(UInt64(opcode), 2) + Self.big(id, 8)
        output += payload
    }

    private static func big(_ value: UInt64, _ bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    /// Takes bytes of the server; `next` reads the frames in them.
    package mutating func append(_ bytes: some Sequence<UInt8>) {
        if consumed > 0 {
            input.removeFirst(consumed)
            consumed = 0
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
        guard input.count - consumed >= Preface.byteCount else { return .needMore }
        let version = input[consumed...].withUnsafeBytes { Preface.chosenVersion($0) }
        guard let version, version <= Preface.version else { return close(nil) }
        consumed += Preface.byteCount
        // With version 0 an error frame follows, for example because there are too many connections.
        phase = .hello
        return .proceed
    }

    private mutating func readFrame() -> Step {
        guard let header = input[consumed...].withUnsafeBytes({ FrameHeader($0) }) else { return .needMore }
        guard header.length <= WireLimits.frameBytes else { return close(nil) }
        let end = consumed + FrameHeader.byteCount + Int(header.length)
        guard end <= input.count else { return .needMore }
        let payload = Array(input[consumed + FrameHeader.byteCount..<end])
        consumed = end
        switch FrameKind(rawValue: header.kind) {
        case .response: return answered(header, payload)
        case .error: return refused(header, payload)
        case .event: return .event(subscription: header.id, payload: payload)
        case .control: return control(header, payload)
        default: return close(nil)
        }
    }

    private mutating func answered(_ header: FrameHeader, _ payload: [UInt8]) -> Step {
        switch phase {
        case .hello:
            phase = .authenticating
            _ = submit(opcode: 2, payload: [1] + Self.big(UInt64(key.count), 4) + key)
            return .proceed
        case .authenticating:
            phase = .open
            return .opened(identity: payload)
        default: return .answered(id: header.id, opcode: header.opcode.rawValue, payload: payload)
        }
    }

    private mutating func refused(_ header: FrameHeader, _ payload: [UInt8]) -> Step {
        // The third byte is the scope: a connection's error ends the link, and so does any before it is open.
        let isOfConnection = payload.count > 2 && payload[2] == 1
        guard phase == .open, !isOfConnection else { return close(payload) }
        return .refused(id: header.id, payload: payload)
    }

    private mutating func control(_ header: FrameHeader, _ payload: [UInt8]) -> Step {
        if header.opcode == .ping, header.flags & FrameHeader.acknowledgement == 0 {
            frame(
                kind: .control, flags: FrameHeader.acknowledgement, opcode: header.opcode.rawValue, id: 0,
                payload: payload)
        }
        guard header.opcode == .goAway, payload.count >= 10 else { return .proceed }
        let code = UInt16(payload[8]) << 8 | UInt16(payload[9])
        return .goingAway(isWithdrawn: code == ErrorCode.authenticationFailed.rawValue)
    }

    private mutating func close(_ payload: [UInt8]?) -> Step {
        phase = .closed
        return .closed(payload: payload)
    }
}
