import Testing

@testable import CarillonHTTP2

/// A stream is divided into frames: it comes out as it went in, frames with headers whole, and the others in whatever
/// parts they come.
struct FrameSplitterTests {
    private struct Part {
        var isHeaders: Bool
        var bytes: [UInt8]
    }

    /// Returns the parts of a stream that comes in pieces.
    private func parts(
        of stream: [UInt8], pieces: [Int], from sender: NGHTTP2Session.Role = .server
    ) -> [Part] {
        var splitter = FrameSplitter(from: sender)
        var found: [Part] = []
        var rest = stream[...]
        for size in pieces + [stream.count] {
            let piece = Array(rest.prefix(size))
            rest = rest.dropFirst(size)
            piece.withUnsafeBytes { bytes in
                var bytes = bytes
                while true {
                    switch splitter.next(&bytes) {
                    case .headers(let frame): found.append(Part(isHeaders: true, bytes: Array(frame)))
                    case .other(let bytes): found.append(Part(isHeaders: false, bytes: Array(bytes)))
                    case nil: return
                    }
                }
            }
        }
        return found
    }

    private func frame(_ type: Frame.Kind, _ length: Int) -> [UInt8] {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        return Frame.bytes(type: type, flags: .endHeaders, stream: 1, payload: payload)
    }

    private var frames: [[UInt8]] {
        [
            frame(.data, 30), frame(.headers, 20), frame(.continuation, 11), frame(.headers, 0), frame(.settings, 6),
            frame(.headers, 12),
        ]
    }

    private var headers: [[UInt8]] {
        frames.filter { [.headers, .continuation].contains(Frame.Kind(rawValue: $0[3])) }
    }

    /// The stream has one cut in each case, and its rest comes in pieces of a size.
    @Test(arguments: [1, 2, 3, 8, 9, 10, 17, 64, 1_000])
    func `headers are whole however the stream is cut`(_ size: Int) {
        let stream = frames.flatMap(\.self)
        for first in 0...stream.count {
            let pieces = [first] + Array(repeating: size, count: stream.count / size + 1)
            let parts = parts(of: stream, pieces: pieces)
            #expect(parts.flatMap(\.bytes) == stream, "\(first)")
            #expect(parts.filter(\.isHeaders).map(\.bytes) == headers, "\(first)")
        }
    }

    @Test func `frames without headers come out together`() {
        let stream = frame(.data, 30) + frame(.settings, 6) + frame(.headers, 3) + frame(.windowUpdate, 4)
        let found = parts(of: stream, pieces: [])
        #expect(found.map { "\($0.isHeaders) \($0.bytes.count)" } == ["false 54", "true 12", "false 13"])
    }

    /// A frame with headers that is too long for the memory is passed on in parts, as any other.
    @Test(arguments: [(64 << 10, true), ((64 << 10) + 1, false)])
    func `a frame is whole up to its limit`(_ length: Int, _ isHeaders: Bool) {
        let stream = frame(.headers, length) + frame(.headers, 5)
        let found = parts(of: stream, pieces: [5, 1_000, 30_000])
        #expect(found.flatMap(\.bytes) == stream)
        #expect(found.filter(\.isHeaders).map(\.bytes.count) == (isHeaders ? [length + 9, 14] : [14]))
    }

    /// The preface of a client has bytes that would be a frame with headers.
    @Test(arguments: [1, 7, 24, 100]) func `the preface of a client is no frame`(_ size: Int) {
        let preface = [UInt8](repeating: 1, count: 24)
        let stream = preface + frame(.headers, 12)
        let found = parts(of: stream, pieces: Array(repeating: size, count: 36 / size), from: .client)
        #expect(found.flatMap(\.bytes) == stream)
        #expect(found.filter(\.isHeaders).map(\.bytes) == [frame(.headers, 12)])
    }
}
