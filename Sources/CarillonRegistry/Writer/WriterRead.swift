import CarillonCore
import CarillonLMDB

/// A short read that the writer runs between two slices of changes, in its open transaction: it shows every change that
/// was answered, and waits for no checkpoint.
struct WriterRead: Sendable {
    /// What the tables must contain of what the writer has in memory.
    enum Needs: Sendable {
        /// All that the writer has in memory.
        case everything
        /// What a page of a message is read from.
        case page(of: MessageID)
        /// What point reads look up. The read is given the devices that the writer knows.
        case pointReads(app: AppID)
    }

    /// Which device has an address, as far as the writer has it in memory.
    typealias KnownDevice = (AddressDigest, AppNumber) -> DeviceID?

    /// The principal of the reads that the server itself makes.
    static let server = ""
    /// The nanoseconds after which a read of many rows ends, and leaves the rest for its next turn.
    static let sliceNanoseconds: UInt64 = 500_000
    /// The bytes of audiences after which such a read ends, because its answers wait in memory until the client has
    /// taken those before them.
    static let maximumAnswerBytes = 16_384

    /// The principal that the read is made for: principals take turns.
    let principal: String
    let needs: Needs
    /// Reads what the caller wants. Called once, on the writer thread, unless `fail` is called.
    let run: @Sendable (borrowing ReadTransaction, Layout, KnownDevice) -> Void
    /// Called instead of the read if the registry has failed.
    let fail: @Sendable (RegistryError) -> Void
}

/// A read of a thread that waits for it.
// Safety: until `result` is set only the writer's thread touches the rest, then only the thread that waits.
final class BlockingRead<R>: @unchecked Sendable {
    typealias Body = (borrowing ReadTransaction, Layout) throws -> R

    /// Released before the waiting thread goes on, because the closure refers to its stack.
    private var body: Body?
    private var answer: Result<R, any Error>?
    private let result = BlockingResult()

    init(_ body: @escaping Body) {
        self.body = body
    }

    /// The read as the writer runs it.
    var writerRead: WriterRead {
        WriterRead(
            principal: WriterRead.server,
            needs: .everything,
            run: { [self] transaction, layout, _ in
                run(transaction, layout)
                result.set(.success(true))
            },
            fail: { [self] error in
                releaseBody()
                result.set(.failure(error))
            })
    }

    private func run(_ transaction: borrowing ReadTransaction, _ layout: Layout) {
        guard let body else { return }
        do {
            answer = .success(try body(transaction, layout))
        } catch {
            answer = .failure(error)
        }
        releaseBody()
    }

    /// Releases the closure, which will not be called any more.
    func releaseBody() { body = nil }

    /// Waits until the writer has run the closure, and returns its answer.
    func wait() -> Result<R, any Error>? {
        switch result.wait() {
        case .success: answer
        case .failure(let error): .failure(error)
        }
    }
}
