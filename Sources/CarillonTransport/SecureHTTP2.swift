import CarillonHTTP2
import CarillonTLS
import NIOCore

/// HTTP/2 inside TLS, between a channel and a connection: ciphertext to events, requests to ciphertext.
///
/// It decides nothing and has no clock. What comes is handed to HTTP/2 piece by piece, so that whoever owns it can look at the
/// events in between; what goes is encrypted in full records and leaves with the owner's flush.
final class SecureHTTP2 {
    /// What reading one piece came to.
    enum Reading {
        /// HTTP/2 may have events, and there may be more to read.
        case more
        /// All that was received is read.
        case end
        /// The peer has said that nothing more will come.
        case closed
    }

    private let tls: TLSSession
    /// Nothing until the handshake is complete.
    private(set) var http2: HTTP2ClientSession?
    /// What was read last.
    private let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    /// What is written next, and how much of it there is.
    private let record = UnsafeMutableRawBufferPointer.allocate(byteCount: recordBytes, alignment: 16)
    private var recordFill = 0

    /// Plaintext handed to TLS at a time: one full record.
    private static let recordBytes = 16_384
    /// Ciphertext handed to the channel at a time: small enough that the allocator keeps its blocks; larger ones would be
    /// mapped and unmapped at each turn.
    private static let pieceBytes = 49_152

    /// - Parameter serverName: whom the certificate must name.
    init(_ context: TLSContext, serverName: String) throws(TLSError) {
        tls = try TLSSession(client: context, serverName: serverName)
    }

    deinit {
        plaintext.deallocate()
        record.deallocate()
    }

    // MARK: What comes

    /// Takes what the channel has read.
    func receive(_ ciphertext: ByteBuffer) throws {
        try ciphertext.withUnsafeReadableBytes { bytes throws in try tls.receive(ciphertext: bytes) }
    }

    /// Goes on with the handshake; true once it is complete, and HTTP/2 begins with it.
    func advanceHandshake() throws -> Bool {
        guard try tls.handshake() == .complete else { return false }
        guard tls.negotiatedALPN == "h2" else { throw TransportError.noHTTP2 }
        http2 = try HTTP2ClientSession()
        return true
    }

    /// Hands the next piece of what was received to HTTP/2.
    func read() throws -> Reading {
        guard let http2 else { return .end }
        switch try tls.read(into: plaintext) {
        case .bytes(let count):
            try http2.receive(UnsafeRawBufferPointer(rebasing: plaintext[..<count]))
            return .more
        case .wantMore: return .end
        case .closed: return .closed
        }
    }

    // MARK: What goes

    /// Encrypts what HTTP/2 has to send: full records, and with `untilEmpty` also what is left; false if the channel takes no more.
    ///
    /// What the channel does not take waits in HTTP/2, which has bounds: a peer that asks and never reads must not fill the memory.
    func write(untilEmpty isEnd: Bool, to context: ChannelHandlerContext) throws -> Bool {
        guard let http2 else { return true }
        do {
            while true {
                guard context.channel.isWritable else { return false }
                recordFill += try http2.fill(UnsafeMutableRawBufferPointer(rebasing: record[recordFill...]))
                guard recordFill == Self.recordBytes || isEnd && recordFill > 0 else { return true }
                try tls.write(UnsafeRawBufferPointer(rebasing: record[..<recordFill]))
                recordFill = 0
                if tls.pendingCiphertextBytes >= Self.pieceBytes { writeCiphertext(to: context) }
            }
        } catch {
            recordFill = 0
            throw error
        }
    }

    /// Hands over what is encrypted, also messages of TLS itself.
    func writeCiphertext(to context: ChannelHandlerContext) {
        guard tls.pendingCiphertextBytes > 0 else { return }
        var buffer = context.channel.allocator.buffer(capacity: tls.pendingCiphertextBytes)
        tls.takeCiphertext { bytes in
            _ = buffer.writeBytes(bytes)
        }
        context.write(NIOAny(buffer), promise: nil)
    }

    /// Says that nothing more will be written.
    func end(to context: ChannelHandlerContext) {
        tls.sendCloseNotify()
        writeCiphertext(to: context)
    }
}

/// Why a connection cannot be used.
enum TransportError: Error, CustomStringConvertible {
    /// TLS was agreed without `h2`.
    case noHTTP2

    var description: String {
        switch self {
        case .noHTTP2: "the peer does not speak HTTP/2"
        }
    }
}
