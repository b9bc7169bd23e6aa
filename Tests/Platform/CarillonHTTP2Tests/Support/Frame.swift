/// A frame of HTTP/2 that a test writes or reads by hand (RFC 9113, section 4.1).
struct Frame: Equatable {
    /// The type of a frame (RFC 9113, section 6).
    struct Kind: RawRepresentable, Equatable {
        let rawValue: UInt8

        static let data = Kind(rawValue: 0x0)
        static let headers = Kind(rawValue: 0x1)
        static let reset = Kind(rawValue: 0x3)
        static let settings = Kind(rawValue: 0x4)
        static let ping = Kind(rawValue: 0x6)
        static let goAway = Kind(rawValue: 0x7)
        static let windowUpdate = Kind(rawValue: 0x8)
        static let continuation = Kind(rawValue: 0x9)
    }

    /// The flags of a frame, whose meaning depends on its type.
    struct Flags: OptionSet {
        let rawValue: UInt8

        /// The end of a stream, in DATA and HEADERS.
        static let endStream = Flags(rawValue: 0x1)
        /// The answer to SETTINGS or PING.
        static let acknowledgement = Flags(rawValue: 0x1)
        /// The end of a header block, in HEADERS and CONTINUATION.
        static let endHeaders = Flags(rawValue: 0x4)
        static let padded = Flags(rawValue: 0x8)
        static let priority = Flags(rawValue: 0x20)
        /// A header block that is whole and is all of its stream.
        static let whole: Flags = [.endStream, .endHeaders]
    }

    private static let headBytes = 9

    var type: Kind
    var flags: Flags
    var stream: UInt32
    var payload: [UInt8]

    /// Returns HEADERS: those of a whole request without a body if no flags are given.
    static func headers(_ block: [UInt8], flags: Flags = .whole, stream: UInt8 = 1) -> [UInt8] {
        bytes(type: .headers, flags: flags, stream: stream, payload: block)
    }

    /// Returns CONTINUATION: the last one of its header block if no flags are given.
    static func continuation(_ block: [UInt8], flags: Flags = .endHeaders, stream: UInt8 = 1) -> [UInt8] {
        bytes(type: .continuation, flags: flags, stream: stream, payload: block)
    }

    /// Returns DATA: the last one of its stream if no flags are given.
    static func data(_ bytes: [UInt8], flags: Flags = .endStream, stream: UInt8 = 1) -> [UInt8] {
        self.bytes(type: .data, flags: flags, stream: stream, payload: bytes)
    }

    static func settings(_ values: [UInt8] = [], flags: Flags = []) -> [UInt8] {
        bytes(type: .settings, flags: flags, stream: 0, payload: values)
    }

    static func bytes(type: Kind, flags: Flags, stream: UInt8, payload: [UInt8]) -> [UInt8] {
        let count = payload.count
        let length = [UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255)]
        return length + [type.rawValue, flags.rawValue, 0, 0, 0, stream] + payload
    }

    /// Returns all frames in bytes, which end with a whole frame.
    static func all(in bytes: [UInt8]) -> [Frame] {
        var frames: [Frame] = []
        var rest = bytes[...]
        while rest.count >= headBytes {
            let head = Array(rest.prefix(headBytes))
            let length = head[..<3].reduce(0) { $0 << 8 | Int($1) }
            frames.append(
                Frame(
                    type: Kind(rawValue: head[3]), flags: Flags(rawValue: head[4]),
                    stream: head[5...].reduce(0) { $0 << 8 | UInt32($1) },
                    payload: Array(rest.dropFirst(headBytes).prefix(length))))
            rest = rest.dropFirst(headBytes + length)
        }
        return frames
    }
}

extension Frame {
    /// The fields of a request that has no fault.
    static let postFields = [":method: POST", ":scheme: https", ":authority: example", ":path: /3/device/aa"]

    /// Makes fields as literals with their names; a name may begin with a colon.
    static func block(_ fields: [String]) -> [UInt8] {
        fields.flatMap { field -> [UInt8] in
            let colon = field.dropFirst().firstIndex(of: ":") ?? field.endIndex
            let name = Array(field[..<colon].utf8)
            let value = Array(field[colon...].dropFirst(2).utf8)
            return [0x00, UInt8(name.count)] + name + [UInt8(value.count)] + value
        }
    }
}

/// Returns the bytes that hexadecimal digits stand for.
func hexBytes(_ hex: String) -> [UInt8] {
    stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
}
