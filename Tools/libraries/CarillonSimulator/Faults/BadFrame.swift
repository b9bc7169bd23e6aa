/// A kind of bytes that a server must not send, or need not send.
package enum BadFrame: String, CaseIterable, Sendable {
    /// Frames of unknown types, on a stream and on stream 0. A client must ignore them (RFC 9113, section 5.5).
    case unknown
    /// PRIORITY, ALTSVC and ORIGIN, which a client must ignore.
    case junk
    /// A header block that refers to a table entry that does not exist.
    case hpackIndex = "hpack-index"
    /// A header block with padding of Huffman code that is longer than seven bits.
    case hpackPadding = "hpack-padding"
    /// A header block that makes the table larger than the client allows.
    case hpackTable = "hpack-table"
    /// A header block that is interrupted by another frame.
    case brokenHeaders = "broken-headers"
    /// Many CONTINUATION frames.
    case continuations
    /// A frame longer than the client allows.
    case oversized
    /// DATA on stream 0.
    case dataOnConnection = "data-on-connection"
    /// HEADERS on a stream that a client did not open.
    case strangeStream = "strange-stream"
    /// PUSH_PROMISE, which the client has forbidden.
    case pushPromise = "push-promise"
    /// WINDOW_UPDATE of 0.
    case emptyWindow = "empty-window"
    /// WINDOW_UPDATEs that make the connection's window larger than 2³¹-1.
    case hugeWindow = "huge-window"
    /// SETTINGS with a window of 2³¹.
    case badSettings = "bad-settings"
    /// SETTINGS with 33 entries.
    case manySettings = "many-settings"
    /// 10,000 frames of SETTINGS.
    case settingsFrames = "settings-frames"
    /// RST_STREAM on a stream that was never opened.
    case idleReset = "idle-reset"
    /// Bytes that are no frames at all.
    case garbage

    /// Returns the bytes for a connection whose newest stream is `stream`.
    package func bytes(stream: Int32) -> [UInt8] {
        switch self {
        case .unknown:
            frame(FrameType(rawValue: 0xbb), stream: 0, [1, 2, 3])
                + frame(FrameType(rawValue: 0xbc), flags: Flags(rawValue: 0xff), stream: stream, [4])
        case .junk:
            frame(.priority, stream: stream, [0, 0, 0, 0, 1]) + frame(.altsvc, stream: 0, [0, 1, 0x61, 0x62])
                + frame(.origin, stream: 0, [0, 1, 0x61])
        case .hpackIndex: frame(.headers, flags: .whole, stream: stream, [0xff, 0x80, 0x80, 0x01])
        case .hpackPadding: frame(.headers, flags: .whole, stream: stream, [0x88, 0x40, 0x81, 0x1f, 0x82, 0xff, 0xff])
        case .hpackTable: frame(.headers, flags: .whole, stream: stream, [0x3f, 0xe1, 0xff, 0xff, 0x07, 0x88])
        case .brokenHeaders:
            frame(.headers, stream: stream, [0x88]) + frame(.ping, stream: 0, [0, 0, 0, 0, 0, 0, 0, 0])
        case .continuations:
            frame(.headers, stream: stream, [0x88])
                + Array(repeating: frame(.continuation, stream: stream, []), count: 1000).joined()
        case .oversized: frame(.data, stream: stream, [UInt8](repeating: 0, count: 16_385))
        case .dataOnConnection: frame(.data, stream: 0, [0x7b])
        case .strangeStream: frame(.headers, flags: .whole, stream: 2, [0x88])
        case .pushPromise: frame(.pushPromise, flags: .endHeaders, stream: stream, [0, 0, 0, 2, 0x82, 0x87, 0x84])
        case .emptyWindow: frame(.windowUpdate, stream: 0, [0, 0, 0, 0])
        case .hugeWindow: frame(.windowUpdate, stream: 0, [0x7f, 0xff, 0xff, 0xff])
        case .badSettings: frame(.settings, stream: 0, [0, 4, 0x80, 0, 0, 0])
        case .manySettings:
            frame(.settings, stream: 0, [UInt8](Array(repeating: [0xf0, 0xf0, 0, 0, 0, 0], count: 33).joined()))
        case .settingsFrames: [UInt8](Array(repeating: frame(.settings, stream: 0, []), count: 10_000).joined())
        case .idleReset: frame(.reset, stream: 0x7fff_fff1, [0, 0, 0, 8])
        case .garbage: [UInt8](repeating: 0xa5, count: 4096)
        }
    }

    /// Returns a frame (RFC 9113, section 4.1).
    private func frame(_ type: FrameType, flags: Flags = [], stream: Int32, _ payload: [UInt8]) -> [UInt8] {
        let length = withUnsafeBytes(of: UInt32(payload.count).bigEndian) { Array($0.dropFirst()) }
        return length + [type.rawValue, flags.rawValue] + withUnsafeBytes(of: stream.bigEndian, Array.init) + payload
    }
}

/// The type of a frame (RFC 9113, section 6; ALTSVC: RFC 7838; ORIGIN: RFC 8336).
private struct FrameType: RawRepresentable {
    let rawValue: UInt8

    static let data = FrameType(rawValue: 0)
    static let headers = FrameType(rawValue: 1)
    static let priority = FrameType(rawValue: 2)
    static let reset = FrameType(rawValue: 3)
    static let settings = FrameType(rawValue: 4)
    static let pushPromise = FrameType(rawValue: 5)
    static let ping = FrameType(rawValue: 6)
    static let windowUpdate = FrameType(rawValue: 8)
    static let continuation = FrameType(rawValue: 9)
    static let altsvc = FrameType(rawValue: 10)
    static let origin = FrameType(rawValue: 12)
}

/// The flags of a frame, whose meaning depends on its type.
private struct Flags: OptionSet {
    let rawValue: UInt8

    static let endStream = Flags(rawValue: 0x1)
    static let endHeaders = Flags(rawValue: 0x4)
    /// A header block that is whole and is all of its stream.
    static let whole: Flags = [.endStream, .endHeaders]
}

/// The answers to a TLS client's hello that are not a handshake.
package enum BadHello {
    /// A ServerHello of TLS 1.1 (RFC 4346, section 7.4.1.3) with the suite ECDHE-RSA-AES128-CBC-SHA.
    package static let oldVersion: [UInt8] =
        [22, 3, 2, 0, 42, 2, 0, 0, 38, 3, 2] + [UInt8](repeating: 0x5a, count: 32) + [0, 0xc0, 0x13, 0]
    /// An answer that is not TLS at all.
    package static let garbage = Array("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n".utf8)
    /// The alert `handshake_failure`.
    package static let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 40]
}
