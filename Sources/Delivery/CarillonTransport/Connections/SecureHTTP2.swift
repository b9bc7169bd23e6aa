import CarillonHTTP2
import CarillonTLS
import NIOCore

/// HTTP/2 over TLS, between a channel and a connection: turns ciphertext into events, and requests into ciphertext.
///
/// This type decides nothing and has no clock. Received bytes are given to HTTP/2 in parts, so that the owner can
/// handle the events in between. Outgoing bytes are encrypted in full records and leave with the owner's `flush`.
final class SecureHTTP2 {
    enum ReadProgress {
        /// HTTP/2 may have events, and there may be more to read.
        case more
        case allRead
        /// The peer has ended its direction (close_notify).
        case closed
    }

    private let tls: TLSSession
    /// The HTTP/2 session; nil until the handshake is complete.
    private(set) var http2: HTTP2ClientSession?
    /// The plaintext that was read last.
    private let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    /// The record that is written next; `recordFill` of its bytes are used.
    private let record = UnsafeMutableRawBufferPointer.allocate(byteCount: recordBytes, alignment: 16)
    private var recordFill = 0
    private var isFlushing = false
    /// True if the channel became writable again during `flush`.
    private var becameWritable = false

    /// The bytes of plaintext that TLS gets at a time: one full record.
    private static let recordBytes = 16_384
    /// The bytes of ciphertext that the channel gets at a time. The allocator keeps freed blocks of this size for the
    /// next cycle. Larger ones it would get from the system, and give back, in each cycle.
    private static let ciphertextBytesPerWrite = 49_152

    private let settings: ClientSettings

    /// Sends nothing yet: the handshake begins with `advanceHandshake`.
    ///
    /// - Parameters:
    ///   - serverName: the name that the server's certificate must have.
    ///   - settings: the limits of the HTTP/2 session.
    init(
        _ context: TLSContext, serverName: String, settings: ClientSettings = ClientSettings()
    ) throws(TLSError) {
        self.settings = settings
        tls = try TLSSession(client: context, serverName: serverName)
    }

    deinit {
        plaintext.deallocate()
        record.deallocate()
    }

    // MARK: Reading

    func receive(_ ciphertext: ByteBuffer) throws {
        try ciphertext.withUnsafeReadableBytes { bytes throws in try tls.receive(ciphertext: bytes) }
    }

    /// Continues the handshake. Returns true if it is complete; HTTP/2 then begins.
    func advanceHandshake() throws -> Bool {
        guard try tls.handshake() == .complete else { return false }
        guard tls.negotiatedALPN == "h2" else { throw TransportError.noHTTP2 }
        http2 = try HTTP2ClientSession(settings: settings)
        return true
    }

    /// Gives the next part of the received bytes to HTTP/2.
    func read() throws -> ReadProgress {
        guard let http2 else { return .allRead }
        switch try tls.read(into: plaintext) {
        case .bytes(let count):
            try http2.receive(UnsafeRawBufferPointer(rebasing: plaintext[..<count]))
            return .more
        case .wantMore: return .allRead
        case .closed: return .closed
        }
    }

    // MARK: Writing

    /// Encrypts the bytes that HTTP/2 has to send: full records, and with `untilEmpty` the remainder too. Returns
    /// true if all is written; false if the channel takes no more.
    ///
    /// Bytes that the channel does not take stay in HTTP/2, which has limits: a peer that asks and never reads must not
    /// fill the memory.
    @discardableResult
    func write(untilEmpty isEnd: Bool, to context: ChannelHandlerContext) throws -> Bool {
        guard let http2 else { return true }
        do {
            while true {
                guard context.channel.isWritable else { return false }
                recordFill += try http2.fill(UnsafeMutableRawBufferPointer(rebasing: record[recordFill...]))
                guard recordFill == Self.recordBytes || isEnd && recordFill > 0 else { return true }
                try tls.write(UnsafeRawBufferPointer(rebasing: record[..<recordFill]))
                recordFill = 0
                if tls.pendingCiphertextBytes >= Self.ciphertextBytesPerWrite { writeCiphertext(to: context) }
            }
        } catch {
            recordFill = 0
            throw error
        }
    }

    /// Writes all bytes of HTTP/2 and TLS that the channel accepts, and flushes the channel. The remainder is written
    /// when the channel is writable again. A call while another one runs returns at once.
    ///
    /// - Parameter failed: called if bytes cannot be written; ciphertext of TLS itself is sent nevertheless.
    /// - Returns: true if the channel has become writable again meanwhile, so that there may be work that was not
    ///   pulled.
    func flush(to context: ChannelHandlerContext, failed: (any Error) -> Void) -> Bool {
        guard !isFlushing else { return false }
        isFlushing = true
        defer { isFlushing = false }
        var isDone = false
        repeat {
            do {
                isDone = try write(untilEmpty: true, to: context)
            } catch {
                failed(error)
                isDone = true
            }
            writeCiphertext(to: context)
            context.flush()
        } while !isDone && context.channel.isWritable
        defer { becameWritable = false }
        return becameWritable
    }

    /// Called when the channel is writable again. Returns true if the owner must run a cycle now; during a flush, the
    /// result of `flush` says so.
    func channelBecameWritable() -> Bool {
        if isFlushing { becameWritable = true }
        return !isFlushing
    }

    private func writeCiphertext(to context: ChannelHandlerContext) {
        guard tls.pendingCiphertextBytes > 0 else { return }
        var buffer = context.channel.allocator.buffer(capacity: tls.pendingCiphertextBytes)
        tls.takeCiphertext { bytes in
            _ = buffer.writeBytes(bytes)
        }
        context.write(NIOAny(buffer), promise: nil)
    }

    /// Ends this side's direction (close_notify).
    func end(to context: ChannelHandlerContext) {
        tls.sendCloseNotify()
        writeCiphertext(to: context)
    }
}

/// The reason why a connection cannot be used.
enum TransportError: Error, CustomStringConvertible {
    /// TLS did not negotiate `h2`.
    case noHTTP2

    var description: String {
        switch self {
        case .noHTTP2: "the peer does not speak HTTP/2"
        }
    }
}
