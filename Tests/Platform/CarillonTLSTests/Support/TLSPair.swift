import CarillonTLS

/// A client and a server session joined without sockets.
struct TLSPair {
    let client: TLSSession
    let server: TLSSession

    init(client: TLSContext, server: TLSContext, serverName: String = "carillon.test") throws {
        self.client = try TLSSession(client: client, serverName: serverName)
        self.server = try TLSSession(server: server)
    }

    /// The result of each side when the handshake cannot continue.
    struct Ends { var client: Result<HandshakeProgress, TLSError>, server: Result<HandshakeProgress, TLSError> }

    /// Moves bytes in parts of at most `pieceBytes` until both sides are complete.
    func handshake(pieceBytes: Int = .max) -> Ends {
        var ends = Ends(client: step(client), server: .success(.incomplete))
        for _ in 0..<10 {
            ends.server = carry(from: client, to: server, pieceBytes: pieceBytes, last: ends.server)
            ends.client = carry(from: server, to: client, pieceBytes: pieceBytes, last: ends.client)
        }
        return ends
    }

    private func carry(
        from: TLSSession, to: TLSSession, pieceBytes: Int, last: Result<HandshakeProgress, TLSError>
    ) -> Result<HandshakeProgress, TLSError> {
        var result = last
        for piece in from.takeAll().pieces(of: pieceBytes) {
            do throws(TLSError) {
                try to.feed(piece)
                result = .success(try to.handshake())
                // A rejection of the client's certificate arrives after its handshake is complete.
                if result == .success(.complete) {
                    var room = [UInt8](repeating: 0, count: 1)
                    _ = try to.readOnce(&room)
                }
            } catch {
                result = .failure(error)
            }
        }
        return result
    }

    private func step(_ session: TLSSession) -> Result<HandshakeProgress, TLSError> {
        do throws(TLSError) { return .success(try session.handshake()) } catch { return .failure(error) }
    }
}

extension TLSSession {
    func takeAll() -> [UInt8] { takeCiphertext { Array($0) } }

    func feed(_ bytes: [UInt8]) throws(TLSError) {
        try bytes.withUnsafeBytes { bytes in typed { () throws(TLSError) in try receive(ciphertext: bytes) } }.get()
    }

    func send(_ bytes: [UInt8]) throws(TLSError) {
        try bytes.withUnsafeBytes { bytes in typed { () throws(TLSError) in try write(bytes) } }.get()
    }

    func readOnce(_ room: inout [UInt8]) throws(TLSError) -> ReadResult {
        try room.withUnsafeMutableBytes { room in typed { () throws(TLSError) in try read(into: room) } }.get()
    }

    /// Calls `body`, and keeps the type of its error: `Array.withUnsafeBytes` forgets it, a result does not.
    private func typed<T>(_ body: () throws(TLSError) -> T) -> Result<T, TLSError> { Result(catching: body) }

    /// Reads everything available. Returns it, and what ended the reading.
    func readAll() throws(TLSError) -> (bytes: [UInt8], end: ReadResult) {
        var all: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 10_000)
        while true {
            let result = try readOnce(&room)
            guard case .bytes(let count) = result else { return (all, result) }
            all += room.prefix(count)
        }
    }
}

extension [UInt8] {
    func pieces(of size: Int) -> [[UInt8]] {
        guard size < count else { return isEmpty ? [] : [self] }
        return stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
