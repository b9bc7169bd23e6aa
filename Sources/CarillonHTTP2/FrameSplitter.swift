/// Cuts a stream of bytes into frames with headers, which it hands over whole, and all that is between them.
struct FrameSplitter: ~Copyable {
    /// A part of the stream, valid until the next.
    enum Piece {
        /// A frame HEADERS or CONTINUATION with its head.
        case headers(UnsafeRawBufferPointer)
        /// Whole frames or parts of frames, also of those with headers that are longer than `maxLength`.
        case other(UnsafeRawBufferPointer)
    }

    /// The nine bytes before each frame (RFC 9113, section 4.1).
    static let headSize = 9
    /// The longest frame that is handed over whole, in bytes without its head.
    static let maxLength = 64 << 10
    private static let prefaceSize = 24

    /// The beginning of a frame whose rest has not come yet: a part of its head, or of a frame with headers.
    private var held = ByteStore()
    private var isHeldGiven = false
    /// How many more bytes pass as they are.
    private var passing: Int

    /// - Parameter sender: a client begins with the preface.
    init(from sender: Engine.Role) {
        passing = sender == .client ? Self.prefaceSize : 0
    }

    deinit {
        var held = held
        held.free()
    }

    /// Takes the next piece from the beginning of `bytes`; nil if they are used up, or kept until more come.
    @inline(__always)
    mutating func next(_ bytes: inout UnsafeRawBufferPointer) -> Piece? {
        if held.count > 0, let piece = nextHeld(&bytes) { return piece }
        guard !bytes.isEmpty else { return nil }
        var at = 0
        while at < bytes.count {
            if passing > 0 {
                let count = min(passing, bytes.count - at)
                passing -= count
                at += count
                continue
            }
            let frame = UnsafeRawBufferPointer(rebasing: bytes[at...])
            guard frame.count >= Self.headSize else { break }
            let size = Self.headSize + Self.length(frame)
            guard Self.isWanted(frame) else {
                passing = size
                continue
            }
            if at > 0 { break }
            guard frame.count >= size else { break }
            return .headers(Self.take(size, &bytes))
        }
        if at > 0 { return .other(Self.take(at, &bytes)) }
        _ = held.append(Self.take(bytes.count, &bytes), limit: Self.headSize + Self.maxLength)
        return nil
    }

    /// Goes on with a frame that came in parts.
    @inline(never)
    private mutating func nextHeld(_ bytes: inout UnsafeRawBufferPointer) -> Piece? {
        if isHeldGiven {
            isHeldGiven = false
            held.removeAll()
            return nil
        }
        if held.count < Self.headSize {
            hold(upTo: Self.headSize, &bytes)
            guard held.count == Self.headSize else { return nil }
            if !Self.isWanted(held.bytes) {
                passing = Self.length(held.bytes)
                isHeldGiven = true
                return .other(held.bytes)
            }
        }
        let size = Self.headSize + Self.length(held.bytes)
        hold(upTo: size, &bytes)
        guard held.count == size else { return nil }
        isHeldGiven = true
        return .headers(held.bytes)
    }

    private mutating func hold(upTo size: Int, _ bytes: inout UnsafeRawBufferPointer) {
        _ = held.append(Self.take(min(size - held.count, bytes.count), &bytes), limit: size)
    }

    private static func take(_ count: Int, _ bytes: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let piece = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
        return piece
    }

    private static func length(_ frame: UnsafeRawBufferPointer) -> Int {
        Int(frame[0]) << 16 | Int(frame[1]) << 8 | Int(frame[2])
    }

    private static func isWanted(_ frame: UnsafeRawBufferPointer) -> Bool {
        (frame[3] == FrameHead.headers || frame[3] == FrameHead.continuation) && length(frame) <= maxLength
    }
}

/// The numbers of frames and flags that matter where frames are cut and made (RFC 9113, sections 6.2 and 6.10).
enum FrameHead {
    static let headers: UInt8 = 0x1
    static let continuation: UInt8 = 0x9
    static let endHeaders: UInt8 = 0x4
    static let padded: UInt8 = 0x8
    static let priority: UInt8 = 0x20

    /// Writes the length of a frame into its head.
    static func setLength(_ length: Int, in head: UnsafeMutableRawBufferPointer) {
        head[0] = UInt8(truncatingIfNeeded: length >> 16)
        head[1] = UInt8(truncatingIfNeeded: length >> 8)
        head[2] = UInt8(truncatingIfNeeded: length)
    }
}
